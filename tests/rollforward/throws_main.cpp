// SPDX-License-Identifier: Apache-2.0
// Throws in a loop, with the library's own beats.
// Catches a beat that follows what the unwinder has half overwritten, and promotion points that beats never come to.
#include "tests/rollforward/throws.hpp"

#include <sennit/beats.hpp>
#include <sennit/join.hpp>
#include <sennit/runtime.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

bool test(unsigned workers, long n) {
  for (auto& count : throws::taken) count = 0;
  sennit::runtime rt({.workers = workers});
  const sennit::beats beating(
      {.period = std::chrono::microseconds(100), .in = &rt, .calling_thread = true, .most_share = 1});
  const long each = n / workers;
  const auto on = [each](auto&& self, unsigned left) -> bool {
    if (left > 1) {
      const auto [a, b] = sennit::join([&] { return self(self, left - 1); }, [&] { return self(self, 1); });
      return a && b;
    }
    const throws::counts c = throws::loop(each);
    return c.caught == each && c.destroyed == each;
  };
  bool good = rt.run([&] { return on(on, workers); });
  long sum = 0;
  for (const auto& count : throws::taken) sum += count;
  for (std::size_t p = 0; p < throws::points; ++p) {
    std::printf("%u workers: %s: taken %ld times\n", workers, throws::names[p], throws::taken[p].load());
    good &= throws::taken[p] > 0;
  }
  unsigned long delivered = 0;
  for (const auto& c : beating.statistics()) delivered += c.delivered;
  std::printf("%u workers: %lu beats delivered, %ld taken: %s\n", workers, delivered, sum,
              good ? "good" : "WRONG");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 100'000;
  const bool one = test(1, n);
  return test(2, n) && one ? 0 : 1;
}
