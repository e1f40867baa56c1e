// SPDX-License-Identifier: Apache-2.0
// forkunion's loops in the vocabulary of common/loops.hpp, as far as it has them: no loop within a loop, no
// reduction. `dynamic` deals out single iterations where the default deals out equal parts.
#pragma once

#include "common/loops.hpp"

#include <forkunion.hpp>

#include <cstddef>
#include <string>

namespace bench {

template <bool dynamic>
class forkunion_loops {
 public:
  explicit forkunion_loops(program& program) {
    program.describe("forkunion " + std::to_string(FORKUNION_VERSION_MAJOR) + "." +
                     std::to_string(FORKUNION_VERSION_MINOR) + "." + std::to_string(FORKUNION_VERSION_PATCH));
    if (!pool_.try_spawn(program.workers())) program::fail("--workers", "threads cannot be had");
  }

  template <class F>
  void enter(F&& f) {
    f();
  }

  template <class F>
  void each(std::size_t n, std::size_t, F&& body) {
    const auto iteration = [&body](std::size_t i) noexcept { body(i); };
    // With one thread forkunion 3.0.2 has no cursors, and for_n_dynamic would use them.
    if (dynamic && pool_.threads_count() > 1) {
      pool_.for_n_dynamic(n, iteration);
    } else {
      pool_.for_n(n, iteration);
    }
  }

 private:
  ashvardanian::forkunion::flat_pool_t pool_;
};

template <template <class> class Kernel>
int run_with_forkunion(program& program) {
  if (program.is("dynamic")) return run_kernel<Kernel, forkunion_loops<true>>(program);
  return run_kernel<Kernel, forkunion_loops<false>>(program);
}

}  // namespace bench
