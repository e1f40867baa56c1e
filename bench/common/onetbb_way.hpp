// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/onetbb.hpp"

#include <tbb/task_group.h>

namespace bench {

class onetbb_way {
 public:
  explicit onetbb_way(program& program) : arena_(program) { program.describe(onetbb_version()); }

  template <class F>
  void enter(F&& f) {
    arena_.run(f);
  }
  template <class F, class G>
  SENNIT_BENCH_INLINE static void join(F&& f, G&& g) {
    tbb::task_group group;
    group.run(g);
    f();
    group.wait();
  }

 private:
  onetbb arena_;
};

}  // namespace bench
