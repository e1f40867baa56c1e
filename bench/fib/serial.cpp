// SPDX-License-Identifier: Apache-2.0
#include "common/program.hpp"

#include <cstdint>

SENNIT_BENCH_NOINLINE static long fib(long n) {
  if (n < 2) return n;
  const long a = fib(n - 1);
  const long b = fib(n - 2);
  return a + b;
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  program.forks(static_cast<std::uint64_t>(fib(static_cast<long>(program.size()) + 1) - 1));
  return program.run([](std::uint64_t n) { return fib(static_cast<long>(n)); });
}
