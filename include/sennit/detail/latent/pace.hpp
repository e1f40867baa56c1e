// SPDX-License-Identifier: Apache-2.0
// How many iterations of a latent loop lie between two of its promotion points.
#pragma once

#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/position.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sennit::detail {

// All loops with the same body have one. Chunks double until a beat comes: a loop without beats needs no promotion points.
// A beat measures some iterations, and so chooses the chunks from there on.
class latent_pace {
 public:
  static constexpr std::uint32_t most = 1024;

  SENNIT_INLINE std::uint32_t chunk() const noexcept { return chunk_.load(std::memory_order_relaxed); }
  SENNIT_INLINE std::uint32_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  SENNIT_INLINE void keep(std::uint32_t chunk) noexcept { chunk_.store(chunk, std::memory_order_relaxed); }

  // Runs one(i), one(i + 1), ... for a short time, and returns where it has stopped.
  template <class One>
  position measure(position i, position end, One&& one) {
    const ticks begin = read_clock();
    const position first = i;
    ticks passed = 0;
    while (i < end && i - first < most_measured && passed < least_measured) {
      one(i++);
      passed = read_clock() - begin;
    }
    if (i != first) choose(passed / (i - first));
    return i;
  }

 private:
  static constexpr position most_measured = 64;
  static constexpr ticks least_measured = 3000;
  static constexpr ticks of_chunk = 15000;  // about 5 us

  void choose(ticks each) noexcept {
    const auto chunk =
        static_cast<std::uint32_t>(std::clamp<ticks>(of_chunk / std::max<ticks>(each, 1), 1, most));
    limit_.store(chunk, std::memory_order_relaxed);
    keep(chunk);
  }

  std::atomic<std::uint32_t> chunk_{1};
  std::atomic<std::uint32_t> limit_{most};
};

template <class Body>
inline constinit latent_pace pace_of{};

}  // namespace sennit::detail
