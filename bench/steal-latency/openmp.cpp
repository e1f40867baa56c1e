// SPDX-License-Identifier: Apache-2.0
#include "common/openmp.hpp"

#include "steal-latency/latency.hpp"

#include <cstdint>
#include <vector>

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::openmp_version());
  return program.run([&](std::uint64_t rounds, std::vector<double>& us) {
    return bench::openmp_team(program, [&] {
      return latency::measure(rounds, us, [](auto&& first, auto&& second) {
#pragma omp task shared(second)
        second();
        first();
#pragma omp taskwait
      });
    });
  });
}
