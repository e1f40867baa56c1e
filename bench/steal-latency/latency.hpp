// SPDX-License-Identifier: Apache-2.0
// From just before a fork to the first instruction of its branch on another worker. The first branch spins
// until the second has started, so it is always another worker that takes it. latency.rs is the same.
#pragma once

#include "common/program.hpp"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace latency {

// Between rounds, so that the thief is found searching, at any point of its search: 1 to 3 microseconds.
inline void settle(std::uint64_t round) {
  const double until = bench::now() + 1e-6 + 2e-6 * static_cast<double>(round * 37 % 101) / 101;
  while (bench::now() < until) bench::relax();
}

// `join(first, second)` is the runtime's; the value is the number of rounds in which the second branch ran.
// Only a runtime that shares work on request can run it on the worker that forked it; such a round
// gives no latency.
template <typename Join>
std::uint64_t measure(std::uint64_t rounds, std::vector<double>& us, Join&& join) {
  std::uint64_t ran = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    settle(round);
    // Lines of their own: a runtime's frame beside them would be waited for, too.
    struct alignas(128) {
      std::atomic<bool> value = false;
    } started;
    struct alignas(128) {
      std::thread::id thief;
      double when = 0;
    } arrived;
    std::thread::id home;
    const double forked = bench::now();
    join(
        [&] {
          while (!started.value.load(std::memory_order_acquire)) bench::relax();
          home = std::this_thread::get_id();
        },
        [&] {
          arrived.when = bench::now();
          started.value.store(true, std::memory_order_release);
          arrived.thief = std::this_thread::get_id();
          ++ran;
        });
    if (home != arrived.thief) us.push_back((arrived.when - forked) * 1e6);
  }
  return ran;
}

}  // namespace latency
