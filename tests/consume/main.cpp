// SPDX-License-Identifier: Apache-2.0
#include <sennit/sennit.hpp>

#include <cstdio>
#include <string_view>

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
  return a + b;
}

int main() {
  const std::string_view library = sennit::version();
  std::printf("sennit %.*s: fib(20) = %ld\n", static_cast<int>(library.size()), library.data(), fib(20));
  return library == SENNIT_EXPECTED_VERSION && fib(20) == 6765 ? 0 : 1;
}
