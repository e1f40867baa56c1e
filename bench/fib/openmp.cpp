// SPDX-License-Identifier: Apache-2.0
#include "common/openmp.hpp"

#include <cstdint>

SENNIT_BENCH_NOINLINE static long fib(long n) {
  if (n < 2) return n;
  long a = 0;
#pragma omp task shared(a) firstprivate(n)
  a = fib(n - 1);
  const long b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::openmp_version());
  return program.run([&](std::uint64_t n) {
    return bench::openmp_team(program, [&] { return fib(static_cast<long>(n)); });
  });
}
