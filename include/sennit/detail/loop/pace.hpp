// SPDX-License-Identifier: Apache-2.0
// How large the chunks of a loop are. Pure: the caller has the clock.
#pragma once

#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/cost.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sennit::detail {

// The chunks of one strand's part of a loop, from what they have taken so far.
//
// Hidden: unoptimized, its constants are symbols that are unique in the process, and would keep a shared
// object from being unloaded.
class [[gnu::visibility("hidden")]] pace {
 public:
  // Iterations that a strand runs at most before it looks for somebody who waits, whatever is known of them.
  static constexpr std::uint64_t block = 64;
  // The same where the last chunk of this very loop took less than a tick an iteration: to begin a block anew
  // costs as much as dozens of those.
  static constexpr std::uint64_t long_block = 256;
  // In ticks, about.
  static constexpr ticks chunk = 24'000;
  // Two readings of the clock, and what is made of them, take some hundred.
  static constexpr ticks least_chunk = 2'048;

  // `brief`: the iterations that took no longer than loop_cost::brief the last times. A chunk is at most
  // 2^-sharing of what is left, so that there is something to share until the end.
  SENNIT_INLINE pace(std::uint64_t brief, std::uint64_t sharing) noexcept
      : brief_(brief), sharing_(sharing) {}

  // A chunk of `size` iterations took so long. Precondition: size > 0.
  SENNIT_INLINE void took(std::uint64_t size, ticks time) noexcept {
    size_ = size;
    time_ = time;
    iterations_ += size;
    spent_ += time - std::min(time, loop_cost::reading);
  }

  // The size of the next chunk, with `left` iterations to come.
  SENNIT_INLINE std::uint64_t next(std::uint64_t left) const noexcept {
    const std::uint64_t size = size_after(size_, time_, left, sharing_);
    // As it was the last times, if it begins so.
    if (iterations_ == 1 && time_ < loop_cost::brief / 8)
      return std::clamp<std::uint64_t>(brief_ / 4, size, block);
    return size;
  }
  // The size of that chunk's blocks.
  SENNIT_INLINE std::uint64_t next_block() const noexcept { return time_ < size_ ? long_block : block; }
  // The fewest iterations that are worth the price of a steal.
  SENNIT_INLINE std::uint64_t worth_stealing() const noexcept {
    return time_ < loop_cost::brief ? std::max(size_, brief_) : std::max<std::uint64_t>(1, size_ / 2);
  }

  // What all of the chunks took, without the readings of the clock, and how many iterations they had.
  SENNIT_INLINE ticks spent() const noexcept { return spent_; }
  SENNIT_INLINE std::uint64_t iterations() const noexcept { return iterations_; }

 private:
  // A chunk must not cost more to claim than to run.
  static std::uint64_t size_after(std::uint64_t size, ticks took, std::uint64_t left,
                                  std::uint64_t sharing) noexcept {
    std::uint64_t wanted = size;
    if (took < chunk / 16) {
      wanted = 8 * size;
    } else if (took < chunk / 2) {
      wanted = 2 * size;
    } else if (took > 2 * chunk) {
      wanted = (size + 1) / 2;
    }
    const std::uint64_t least = std::max<std::uint64_t>(1, size >> std::bit_width(took / least_chunk));
    return std::min(std::max(std::min(wanted, left >> sharing), least), std::max<std::uint64_t>(1, left));
  }

  const std::uint64_t brief_;
  const std::uint64_t sharing_;
  std::uint64_t size_ = 0;  // of the latest chunk
  ticks time_ = 0;          // that it took
  std::uint64_t iterations_ = 0;
  ticks spent_ = 0;
};

}  // namespace sennit::detail
