// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include <cstdint>

SENNIT_BENCH_NOINLINE static long fib(long n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  tbb::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::onetbb_version());
  bench::onetbb tbb(program);
  return program.run([&](std::uint64_t n) { return tbb.run([&] { return fib(static_cast<long>(n)); }); });
}
