// SPDX-License-Identifier: Apache-2.0
// Forks in the vocabulary of kernels that are written once for all systems: Way::join(f, g) and way.enter(f).
#pragma once

#include "common/program.hpp"

namespace bench {

class serial_way {
 public:
  explicit serial_way(program&) {}

  template <class F>
  void enter(F&& f) {
    f();
  }
  template <class F, class G>
  SENNIT_BENCH_INLINE static void join(F&& f, G&& g) {
    f();
    g();
  }
};

}  // namespace bench
