// SPDX-License-Identifier: Apache-2.0
// What all messages of a rank share in one direction: the bandwidth of its port, in equal parts.
#pragma once

#include "machine/machine.hpp"
#include "time/picoseconds.hpp"

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace sennit::sim {

// Of n messages under way each has an n-th of the bandwidth. The port counts what each of them has had since the port was last
// empty; a message is over when that count has grown by its size. So an arrival costs O(log n), though it slows all others.
class port {
 public:
  // When the next message is over, if no other one comes. Precondition: not empty().
  picoseconds next(bytes_per_microsecond bandwidth) const noexcept {
    const std::uint64_t left = messages_.top().first - had_;
    const std::uint64_t rate = share(bandwidth);
    return at_ + (left + rate - 1) / rate;
  }
  bool empty() const noexcept { return messages_.empty(); }

  // Preconditions of both: `now` is not before the last call's, and not after next().
  void begin(picoseconds now, bytes_per_microsecond bandwidth, std::uint64_t bytes, std::uint32_t message) {
    advance(now, bandwidth);
    messages_.emplace(had_ + bytes * parts, message);
  }
  std::uint32_t end(picoseconds now, bytes_per_microsecond bandwidth) {
    advance(now, bandwidth);
    had_ = messages_.top().first;
    const std::uint32_t message = messages_.top().second;
    messages_.pop();
    return message;
  }

 private:
  // A MB/s is a millionth of a byte in a picosecond; and 64 times finer, as it is divided.
  static constexpr std::uint64_t finer = 64;
  static constexpr std::uint64_t parts = 1000000 * finer;

  std::uint64_t share(bytes_per_microsecond bandwidth) const noexcept {
    const std::uint64_t rate = bandwidth * finer / messages_.size();
    return rate == 0 ? 1 : rate;
  }
  void advance(picoseconds now, bytes_per_microsecond bandwidth) noexcept {
    if (messages_.empty()) {
      had_ = 0;
    } else {
      had_ += (now - at_) * share(bandwidth);
      if (had_ > messages_.top().first) had_ = messages_.top().first;
    }
    at_ = now;
  }

  using message = std::pair<std::uint64_t, std::uint32_t>;  // at which count it is over; its number
  std::priority_queue<message, std::vector<message>, std::greater<>> messages_;
  std::uint64_t had_ = 0;
  picoseconds at_ = 0;
};

}  // namespace sennit::sim
