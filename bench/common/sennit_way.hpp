// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/sennit.hpp"

#include <sennit/join.hpp>

#include <utility>

namespace bench {

class sennit_way {
 public:
  explicit sennit_way(program& program) : runtime_(program) {}

  template <class F>
  void enter(F&& f) {
    runtime_.run(f);
  }
  template <class F, class G>
  SENNIT_BENCH_INLINE static void join(F&& f, G&& g) {
    sennit::join(std::forward<F>(f), std::forward<G>(g));
  }

 private:
  sennit_runtime runtime_;
};

}  // namespace bench
