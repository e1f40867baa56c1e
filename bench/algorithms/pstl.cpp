// SPDX-License-Identifier: Apache-2.0
// std::execution::par as libstdc++ has it, on oneTBB.
#include "algorithms/standard.hpp"
#include "common/onetbb.hpp"

#include <execution>

namespace algorithms {

struct pstl : standard<std::execution::parallel_policy> {
  struct place {
    explicit place(bench::program& program) : arena(program) {
      program.describe("libstdc++ on " + bench::onetbb_version());
    }
    template <class F>
    void enter(F&& f) {
      arena.run(f);
    }
    bench::onetbb arena;
  };
};

}  // namespace algorithms

int main(int argc, char** argv) { return algorithms::run<algorithms::pstl>(argc, argv); }
