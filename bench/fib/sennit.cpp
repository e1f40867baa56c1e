#include "common/sennit.hpp"

SENNIT_BENCH_NOINLINE static long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
  return a + b;
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::sennit_runtime runtime(program);
  return program.run([&](std::uint64_t n) { return runtime.run([&] { return fib(static_cast<long>(n)); }); });
}
