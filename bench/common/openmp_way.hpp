// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/openmp.hpp"

namespace bench {

class openmp_way {
 public:
  explicit openmp_way(program& program) : program_(program) { program.describe(openmp_version()); }

  template <class F>
  void enter(F&& f) {
    openmp_team(program_, [&] {
      f();
      return 0;
    });
  }
  template <class F, class G>
  SENNIT_BENCH_INLINE static void join(F&& f, G&& g) {
#pragma omp task firstprivate(g)
    g();
    f();
#pragma omp taskwait
  }

 private:
  const program& program_;
};

}  // namespace bench
