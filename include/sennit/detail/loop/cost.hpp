// SPDX-License-Identifier: Apache-2.0
// What is remembered of a loop from one time to the next.
#pragma once

#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sennit::detail {

// What an iteration cost the last times. A hint, the same for all threads: it says how large the first block
// of the next loop is and whether that loop is dealt out at once, and keeps no work from a worker that waits.
//
// A rise is believed at once: a loop that has become a thousand times as long must be shared the next time. A
// fall is believed by halves, as a loop may have been interrupted for milliseconds.
class loop_cost {
 public:
  // In ticks: what is shorter is not worth a thief's while.
  [[gnu::visibility("hidden")]] static constexpr ticks brief = 5'000;
  // What reading the clock takes.
  [[gnu::visibility("hidden")]] static constexpr ticks reading = 24;

  bool known() const noexcept { return cost_.load(std::memory_order_relaxed) != 0; }
  // The iterations that take no longer than `brief`; 0: one takes longer, or nothing is known.
  std::uint64_t brief_iterations() const noexcept {
    return brief_iterations_.load(std::memory_order_relaxed);
  }

  // In ticks; 0: not known.
  ticks iteration() const noexcept { return static_cast<ticks>(cost_.load(std::memory_order_relaxed)); }
  // Whether the compiler has seen all of an iteration: see loop_over::run_one().
  bool seen() const noexcept { return seen_.load(std::memory_order_relaxed); }
  void saw(bool all) noexcept {
    if (seen() != all) seen_.store(all, std::memory_order_relaxed);
  }

  void forget() noexcept {
    cost_.store(0, std::memory_order_relaxed);
    brief_iterations_.store(0, std::memory_order_relaxed);
    saw(false);
  }
  void took(ticks time, std::uint64_t iterations) noexcept {
    constexpr float least = 1.0F / 16;
    // A body that takes no time at all is one that overlaps with the reading.
    const float spent = static_cast<float>(time - std::min(time, reading));
    const float measured = std::max(least, spent / static_cast<float>(iterations));
    const float before = cost_.load(std::memory_order_relaxed);
    // Small differences are not worth writing to a line that all threads read.
    if (measured > before * 1.25F) {
      learn(measured);
    } else if (measured < before * 0.75F) {
      learn(std::max(measured, before / 2));
    }
  }

 private:
  void learn(float cost) noexcept {
    cost_.store(cost, std::memory_order_relaxed);
    brief_iterations_.store(static_cast<std::uint64_t>(static_cast<float>(brief) / cost),
                            std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> brief_iterations_{0};
  std::atomic<float> cost_{0};  // ticks an iteration; 0: not known
  std::atomic<bool> seen_{false};
};

// That of the loops which the code at `site` begins with a body that calls `code` (0: the site says it all). Of a
// program with very many loops, some are forgotten.
SENNIT_EXPORT loop_cost& cost_of_loop(const void* site, std::uintptr_t code) noexcept;

// Whether to take the time of this loop, though it is a short one. The answer is yes for one loop in so many,
// at random, because a count could agree with the program's own.
SENNIT_EXPORT bool take_time_of_loop() noexcept;

}  // namespace sennit::detail
