// What all of Sennit's benchmark programs share: the runtime that a variant stands for.
#pragma once

#include "common/program.hpp"

#include <sennit/runtime.hpp>
#include <sennit/version.hpp>

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
    return options;
  }
};

}  // namespace bench
