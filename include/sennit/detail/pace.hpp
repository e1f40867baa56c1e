// How large a loop's chunks are, and what is remembered of a loop from one time to the next. Pure: the caller
// has the clock.
#pragma once

#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace sennit::detail {

// What is known of the loops that one piece of code began: ticks an iteration, and whether there are loops
// within. A hint, the same for all threads.
//
// It follows slow loops up faster than fast ones down, as a long loop that is taken for a brief one is worse
// than the other way round; but not where there are loops within, which will tell. By steps, because a loop
// may be interrupted for milliseconds.
class loop_site {
 public:
  // Hidden: unoptimized, they are symbols that are unique in the process, and would keep a shared object from
  // being unloaded. In ticks: what is shorter than `brief` is not worth a thief's while.
  [[gnu::visibility("hidden")]] static constexpr ticks brief = 5'000;
  [[gnu::visibility("hidden")]] static constexpr ticks reading = 24;
  [[gnu::visibility("hidden")]] static constexpr float least = 1.0F / 16;

  // The iterations that take no longer than that, as far as is known; 0: even one does, or nothing is known.
  [[nodiscard]] std::uint64_t brief_iterations() const noexcept {
    return brief_iterations_.load(std::memory_order_relaxed);
  }
  // The same; 0 also if there are loops within, which may turn any iteration into a long one.
  [[nodiscard]] std::uint64_t plain_iterations() const noexcept {
    return plain_iterations_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool known() const noexcept { return cost_.load(std::memory_order_relaxed) != 0; }

  void contains_loops() noexcept {
    if (nested_.load(std::memory_order_relaxed)) return;
    nested_.store(true, std::memory_order_relaxed);
    plain_iterations_.store(0, std::memory_order_relaxed);
  }
  void took(ticks time, std::uint64_t iterations) noexcept {
    // Less what the two readings of the clock take.
    // A body that takes no time at all is one that overlaps with the readings.
    const float spent = static_cast<float>(time) - static_cast<float>(std::min(time, reading));
    const float measured = std::max(least, spent / static_cast<float>(iterations));
    const float before = cost_.load(std::memory_order_relaxed);
    // The first times are those with page faults.
    if (young_.load(std::memory_order_relaxed) > 0 && measured < before) {
      young_.store(young_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      return learn(measured);
    }
    // Small differences are not worth writing to a line that all threads read.
    if (measured > before * 1.25F) {
      const float step = nested_.load(std::memory_order_relaxed) ? 17.0F / 16 : 2.0F;
      learn(before == 0 ? measured : std::min(measured, before * step));
    } else if (measured < before * 0.75F) {
      learn(std::max(measured, before * (15.0F / 16)));
    }
  }

 private:
  void learn(float cost) noexcept {
    const auto iterations = static_cast<std::uint64_t>(static_cast<float>(brief) / cost);
    cost_.store(cost, std::memory_order_relaxed);
    brief_iterations_.store(iterations, std::memory_order_relaxed);
    if (!nested_.load(std::memory_order_relaxed))
      plain_iterations_.store(iterations, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> plain_iterations_{0};
  std::atomic<std::uint64_t> brief_iterations_{0};
  std::atomic<float> cost_{0};  // 0: not known
  std::atomic<bool> nested_{false};
  std::atomic<unsigned char> young_{4};
};

// One loop's chunks.
class pace {
 public:
  // In ticks, about.
  static constexpr ticks chunk = 6'000;
  // Two readings of the clock, and what is made of them, take some hundred.
  static constexpr ticks least_chunk = 2'048;
  // Unmeasured chunks of one iteration at the beginning of a loop that may be of any kind.
  static constexpr std::uint64_t cautious = 16;
  // Iterations in which more loops than this were counted are worth a thief's while, and so are those to come.
  static constexpr std::uint64_t loops_within = 32;

  // The next chunk, after one of `size` iterations that took so long, with `left` iterations to come. A chunk
  // is at most 2^-sharing of what is left, so that there is something to share until the end, but no crumb.
  static std::uint64_t next(std::uint64_t size, ticks took, std::uint64_t left,
                            std::uint64_t sharing) noexcept {
    std::uint64_t wanted = size;
    if (took < chunk / 2) {
      wanted = 2 * size;
    } else if (took > 2 * chunk) {
      wanted = (size + 1) / 2;
    }
    const std::uint64_t crumb = std::max<std::uint64_t>(1, size >> std::bit_width(took / least_chunk));
    return std::min(std::max(std::min(wanted, left >> sharing), crumb), std::max<std::uint64_t>(1, left));
  }
};

}  // namespace sennit::detail
