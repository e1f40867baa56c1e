// SPDX-License-Identifier: Apache-2.0
// std::execution::par on Sennit: compiled with sennit::std_execution.
#include "algorithms/standard.hpp"
#include "common/sennit.hpp"

#include <execution>

namespace algorithms {

struct sennit_std : standard<std::execution::parallel_policy> {
  struct place : bench::sennit_default_runtime {
    using bench::sennit_default_runtime::sennit_default_runtime;
    template <class F>
    void enter(F&& f) {
      run(f);
    }
  };
};

}  // namespace algorithms

int main(int argc, char** argv) { return algorithms::run<algorithms::sennit_std>(argc, argv); }
