// SPDX-License-Identifier: Apache-2.0
// What several cores share: the memory of a node, a link.
#pragma once

#include "machine/machine.hpp"
#include "time/picoseconds.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace sennit::sim {

// Bandwidth by time: in each window of 4 us as many bytes as it has room for. Who comes first takes what it can; who finds a
// window full goes on in the next one. Cores that use a channel all the time have equal parts of it in the long run. This
// holds, too, where the times of accesses go forth and back, as the accesses of a strand are looked at all at once, before
// those that other strands make meanwhile.
class channel {
 public:
  static constexpr picoseconds window = 4000 * nanosecond;

  // 0: no limit. Even in a full window each use has `least` bytes, so that those who need little do not wait for those who
  // need much. Later windows have so much less room.
  channel(bytes_per_microsecond bandwidth, std::uint64_t least)
      : in_window_(std::min<std::uint64_t>(bandwidth * (window / (1000 * nanosecond)), ~std::uint32_t{0})),
        least_(least),
        windows_(bandwidth == 0 ? 0 : remembered) {}

  // Bytes that one use may have in this window.
  std::uint64_t room(std::uint64_t number) noexcept {
    if (windows_.empty()) return std::numeric_limits<std::uint64_t>::max();
    used_window& at = windows_[number % remembered];
    if (at.number < number) begin(at, number);
    const std::uint64_t used = at.number == number ? at.used : 0;
    return used + least_ < in_window_ ? in_window_ - used : least_;
  }
  // Precondition: room() has been asked for the window.
  void take(std::uint64_t number, std::uint64_t bytes) noexcept {
    if (windows_.empty()) return;
    used_window& at = windows_[number % remembered];
    if (at.number != number) return;  // it is long over
    const std::uint64_t left = in_window_ - at.used;
    if (bytes > left) owed_ += bytes - left;
    at.used += static_cast<std::uint32_t>(std::min(bytes, left));
  }

 private:
  // 65 ms: longer than most strands.
  static constexpr std::uint64_t remembered = 16384;
  struct used_window {
    std::uint32_t number = 0;  // enough for hours
    std::uint32_t used = 0;
  };

  void begin(used_window& at, std::uint64_t number) noexcept {
    if (number > newest_) {
      // Windows that nobody has asked for have had room.
      owed_ -= std::min(owed_, (number - newest_ - 1) * in_window_);
      newest_ = number;
    }
    const std::uint64_t paid = std::min(owed_, in_window_ / 2);
    owed_ -= paid;
    at = {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(paid)};
  }

  std::uint64_t in_window_;
  std::uint64_t least_;
  std::uint64_t owed_ = 0;            // bytes beyond what windows had room for
  std::uint64_t newest_ = 0;          // of the windows that have been asked for
  std::vector<used_window> windows_;  // by number, modulo `remembered`
};

}  // namespace sennit::sim
