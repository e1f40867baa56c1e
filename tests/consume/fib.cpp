// SPDX-License-Identifier: Apache-2.0
// The README's program.
#include <sennit/sennit.hpp>

#include <cstdio>

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
  return a + b;
}

int main() {
  const long answer = fib(20);
  std::printf("%ld\n", answer);
  return answer == 6765 ? 0 : 1;
}
