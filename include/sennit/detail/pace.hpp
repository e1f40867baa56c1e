// How large a loop's chunks are, and what is remembered of a loop from one time to the next. Pure: the caller has the clock.
#pragma once

#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sennit::detail {

// What is known of the loops that one piece of code began: ticks an iteration. A hint, the same for all threads.
//
// It follows slow loops up faster than fast ones down: where a loop's body contains the same loop again, most of those that
// are measured are the small ones at the leaves, and what matters are the large ones above. By steps, because a loop may be
// interrupted for milliseconds.
class loop_site {
 public:
  // Hidden: unoptimized, they are symbols that are unique in the process, and would keep a shared object from being
  // unloaded.
  [[gnu::visibility("hidden")]] static constexpr ticks reading = 24;
  [[gnu::visibility("hidden")]] static constexpr float least = 1.0F / 16;

  [[nodiscard]] float cost() const noexcept { return cost_.load(std::memory_order_relaxed); }

  void took(ticks time, std::uint64_t iterations) noexcept {
    // Less what the two readings of the clock take.
    // A body that takes no time at all is one that overlaps with the readings.
    const float spent = static_cast<float>(time) - static_cast<float>(std::min(time, reading));
    const float measured = std::max(least, spent / static_cast<float>(iterations));
    const float before = cost();
    // Small differences are not worth writing to a line that all threads read.
    if (measured > before * 1.25F) {
      cost_.store(before == 0 ? measured : std::min(measured, before * 2), std::memory_order_relaxed);
    } else if (measured < before * 0.75F) {
      cost_.store(std::max(measured, before * (15.0F / 16)), std::memory_order_relaxed);
    }
  }

 private:
  std::atomic<float> cost_{0};  // 0: not known
};

// One loop's chunks.
class pace {
 public:
  // In ticks. What is shorter than `brief` is not worth a thief's while; a chunk takes about `chunk`.
  static constexpr ticks brief = 3'000;
  static constexpr ticks chunk = 6'000;
  // Unmeasured chunks of one iteration at the beginning of a loop that may be of any kind.
  static constexpr std::uint64_t cautious = 16;
  // Of the loops that could do without, one in so many is measured all the same.
  static constexpr std::uint64_t unmeasured_loops = 64;

  // The iterations that take no longer than `brief`, as far as is known; 0: even one does, or nothing is known.
  static std::uint64_t brief_iterations(float cost) noexcept {
    return cost > 0 ? static_cast<std::uint64_t>(static_cast<float>(brief) / cost) : 0;
  }

  // The next chunk, after one of `size` iterations that took so long, with `left` iterations to come.
  // A chunk is at most 2^-sharing of what is left, so that there is something to share until the end, but no crumb.
  static std::uint64_t next(std::uint64_t size, ticks took, std::uint64_t left,
                            std::uint64_t sharing) noexcept {
    std::uint64_t wanted = size;
    if (took < chunk / 2) {
      wanted = 2 * size;
    } else if (took > 2 * chunk) {
      wanted = (size + 1) / 2;
    }
    const std::uint64_t crumb = took < chunk / 8 ? size : std::max<std::uint64_t>(1, wanted / 8);
    return std::min(std::max(std::min(wanted, left >> sharing), crumb), std::max<std::uint64_t>(1, left));
  }
};

}  // namespace sennit::detail
