// SPDX-License-Identifier: Apache-2.0
// What the tests of pipelines share.
#pragma once

#include "../core/support.hpp"

#include <sennit/pipeline.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace sennit_test {

// Calls test() within regions of one, two and eight workers.
template <class Test>
void with_workers(Test&& test) {
  under(settings({1, 2, 8}), [&](sennit::runtime& rt) { rt.run([&] { test(); }); });
}

// The numbers below `n`.
inline auto numbers(std::uint64_t n) {
  return sennit::source([n, i = std::uint64_t{0}]() mutable -> std::optional<std::uint64_t> {
    if (i == n) return std::nullopt;
    return i++;
  });
}

inline void spend(int microseconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < until) {
  }
}

// How many are there at a time, and the most that there were.
class headcount {
 public:
  void come() noexcept {
    const int now = here_.fetch_add(1, std::memory_order_relaxed) + 1;
    int seen = most_.load(std::memory_order_relaxed);
    while (seen < now && !most_.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
  }
  void go() noexcept { here_.fetch_sub(1, std::memory_order_relaxed); }
  int here() const noexcept { return here_.load(std::memory_order_relaxed); }
  int most() const noexcept { return most_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> here_{0};
  std::atomic<int> most_{0};
};

}  // namespace sennit_test
