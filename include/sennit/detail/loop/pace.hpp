// How large the chunks of a loop are. Pure: the caller has the clock.
#pragma once

#include <sennit/detail/clock.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sennit::detail {

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

  static std::uint64_t block_after(std::uint64_t size, ticks took) noexcept {
    return took < size ? long_block : block;
  }

  // The next chunk, after one of `size` iterations that took so long, with `left` iterations to come. A chunk
  // is at most 2^-sharing of what is left, so that there is something to share until the end, but no crumb.
  static std::uint64_t next(std::uint64_t size, ticks took, std::uint64_t left,
                            std::uint64_t sharing) noexcept {
    std::uint64_t wanted = size;
    if (took < chunk / 16) {
      wanted = 8 * size;
    } else if (took < chunk / 2) {
      wanted = 2 * size;
    } else if (took > 2 * chunk) {
      wanted = (size + 1) / 2;
    }
    const std::uint64_t crumb = std::max<std::uint64_t>(1, size >> std::bit_width(took / least_chunk));
    return std::min(std::max(std::min(wanted, left >> sharing), crumb), std::max<std::uint64_t>(1, left));
  }
};

}  // namespace sennit::detail
