// SPDX-License-Identifier: Apache-2.0
// What all of Sennit's benchmark programs share: the runtime that a variant stands for.
#pragma once

#include "common/program.hpp"

#include <sennit/runtime.hpp>
#include <sennit/version.hpp>

#include <chrono>
#include <cstdlib>
#include <string>

namespace bench {

class sennit_runtime : public sennit::runtime {
 public:
  explicit sennit_runtime(program& program) : sennit::runtime(options(program)) {
    const bool fence = barrier() == sennit::steal_barrier::fence;
    program.describe(std::string("Sennit ") + sennit::version() + (fence ? ", fence" : ", membarrier"));
  }

 private:
  static sennit::runtime_options options(const program& program) {
    sennit::runtime_options options;
    options.workers = program.workers();
    if (program.is("fence")) options.barrier = sennit::steal_barrier::fence;
    if (program.is("beat100")) options.promotion = sennit::heartbeat(std::chrono::microseconds(100));
    if (program.is("beat20")) options.promotion = sennit::heartbeat(std::chrono::microseconds(20));
    return options;
  }
};

// The default runtime with the workers that the program is asked for: for kernels that enter it from serial code, phase by phase.
// Has to come before the first construct.
class sennit_default_runtime {
 public:
  explicit sennit_default_runtime(program& program) : workers_(program.workers()) {
    setenv("SENNIT_WORKERS", std::to_string(workers_).c_str(), 1);
    program.describe(std::string("Sennit ") + sennit::version());
  }
  unsigned workers() const { return workers_; }
  template <class F>
  void run(F&& f) {
    sennit::runtime::default_runtime().run(f);
  }

 private:
  unsigned workers_;
};

}  // namespace bench
