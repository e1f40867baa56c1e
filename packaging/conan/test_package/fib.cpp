// SPDX-License-Identifier: Apache-2.0
#include <sennit/sennit.hpp>

#include <cstdio>

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main() {
  std::printf("sennit %s: fib(25) = %ld\n", sennit::version(), fib(25));
  return fib(25) == 75025 ? 0 : 1;
}
