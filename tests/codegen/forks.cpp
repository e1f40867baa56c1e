// SPDX-License-Identifier: Apache-2.0
// Forks whose machine code test_assembly.py reads: one function a shape.
#include <sennit/join.hpp>

extern "C" {

long first(long);
long second(long);
long third(long);

long fork_values(long n) {
  auto [a, b] = sennit::join([&] { return first(n); }, [&] { return second(n); });
  return a + b;
}

void fork_nothing(long n) {
  sennit::join([n] { first(n); }, [n] { second(n); });
}

long fork_three(long n) {
  auto [a, b, c] =
      sennit::join([=] { return first(n); }, [=] { return second(n); }, [=] { return third(n); });
  return a + b + c;
}

long fork_within(long n) {
  auto [a, b] = sennit::join(
      [&] {
        auto [x, y] = sennit::join([&] { return first(n); }, [&] { return second(n); });
        return x + y;
      },
      [&] { return third(n); });
  return a + b;
}

// Where a compiler would keep a thread-local's address from one round to the next.
long fork_in_a_loop(long n) {
  long sum = 0;
  for (long i = 0; i != n; ++i) {
    auto [a, b] = sennit::join([=] { return first(i); }, [=] { return second(i); });
    sum += a + b;
  }
  return sum;
}

long fork_without_exceptions(long n) noexcept {
  auto [a, b] = sennit::join([n]() noexcept { return first(n); }, [n]() noexcept { return second(n); });
  return a + b;
}

}  // extern "C"
