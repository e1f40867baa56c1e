// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include <sennit/join.hpp>

#include <cstdint>

static long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
  return a + b;
}

// Captures by copy and no exceptions: the compiler may keep n in a register and test
// for the leaf before the call.
static long fib_of_values(long n) noexcept {
  if (n < 2) return n;
  auto [a, b] = sennit::join([n]() noexcept { return fib_of_values(n - 1); },
                             [n]() noexcept { return fib_of_values(n - 2); });
  return a + b;
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::sennit_runtime runtime(program);
  const auto kernel = program.is("values") ? fib_of_values : fib;
  return program.run(
      [&](std::uint64_t n) { return runtime.run([&] { return kernel(static_cast<long>(n)); }); });
}
