// SPDX-License-Identifier: Apache-2.0
// A recursion by plain calls and by joins, and a claim of a loop, whose machine code for AArch64 test_aarch64.py counts.
#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>

extern "C" {

// The empty asm statements keep both calls: a compiler makes a loop of the second one.
[[gnu::noinline]] long by_calls(long n) {
  if (n < 2) return n;
  long a = by_calls(n - 1);
  asm volatile("" : "+r"(a));
  long b = by_calls(n - 2);
  asm volatile("" : "+r"(b));
  return a + b;
}

[[gnu::noinline]] long by_joins(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([n] { return by_joins(n - 1); }, [n] { return by_joins(n - 2); });
  return a + b;
}

// What an iteration of a loop costs where each is claimed alone.
sennit::detail::position claim_one(sennit::detail::loop_frame& rest, sennit::detail::position at) {
  return rest.claim(at, at + 1);
}

}  // extern "C"
