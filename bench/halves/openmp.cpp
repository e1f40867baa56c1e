// SPDX-License-Identifier: Apache-2.0
#include "common/openmp.hpp"

#include "halves/work.hpp"

#include <cstdint>

static constexpr auto join = [](auto&& f, auto&& g) {
  std::uint64_t b = 0;
#pragma omp task shared(b, g)
  b = g();
  const std::uint64_t a = f();
#pragma omp taskwait
  return a + b;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::openmp_version());
  if (program.is("inside"))
    return program.run([&](std::uint64_t times) {
      return bench::openmp_team(program,
                                [&] { return halves::enter_repeatedly(times, program.work(), join); });
    });
  return program.run([&](std::uint64_t times) {
    return halves::enter_repeatedly(times, program.work(), [&](auto&& f, auto&& g) {
      std::uint64_t a = 0, b = 0;
#pragma omp parallel sections num_threads(program.workers())
      {
#pragma omp section
        a = f();
#pragma omp section
        b = g();
      }
      return a + b;
    });
  });
}
