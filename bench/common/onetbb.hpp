// SPDX-License-Identifier: Apache-2.0
// What all of oneTBB's benchmark programs share: an arena of exactly the asked number of
// threads, the caller included.
#pragma once

#include "common/program.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>

#include <cstddef>
#include <string>

namespace bench {

inline std::string onetbb_version() { return std::string("oneTBB ") + TBB_runtime_version(); }

class onetbb {
 public:
  explicit onetbb(const program& program) : arena_(static_cast<int>(program.workers())) {}

  template <typename F>
  auto run(F&& f) {
    return arena_.execute(std::forward<F>(f));
  }

 private:
  // Deep recursion with blocked waits underneath needs more than a thread's default stack.
  tbb::global_control stack_{tbb::global_control::thread_stack_size, std::size_t{256} << 20};
  tbb::task_arena arena_;
};

}  // namespace bench
