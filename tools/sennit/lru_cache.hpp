// SPDX-License-Identifier: Apache-2.0
// A cache that forgets what has not been used for the longest time. It knows lines by their numbers, and nothing of memory.
#pragma once

#include <cstdint>
#include <vector>

namespace command {

class lru_cache {
 public:
  // For lines 0 ... lines - 1, of which `room` are in the cache at a time, at least one.
  lru_cache(std::uint32_t lines, std::uint32_t room);

  // Uses a line. Returns whether it had to be fetched.
  bool use(std::uint32_t line) {
    const bool is_missing = before_[line] == nowhere;
    if (is_missing) {
      make_room();
    } else {
      take_out(line);
    }
    put_first(line);
    return is_missing;
  }

 private:
  static constexpr std::uint32_t nowhere = UINT32_MAX;

  // The ends of the list are a line that nobody uses.
  std::uint32_t end() const noexcept { return static_cast<std::uint32_t>(after_.size() - 1); }
  void make_room() {
    if (used_ < room_) {
      ++used_;
      return;
    }
    const std::uint32_t last = before_[end()];
    take_out(last);
    before_[last] = nowhere;
  }
  void take_out(std::uint32_t line) {
    after_[before_[line]] = after_[line];
    before_[after_[line]] = before_[line];
  }
  void put_first(std::uint32_t line) {
    const std::uint32_t next = after_[end()];
    before_[line] = end();
    after_[line] = next;
    before_[next] = line;
    after_[end()] = line;
  }

  std::uint32_t room_;
  std::uint32_t used_ = 0;
  // The lines that were used before and after each line, from the latest use on.
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> after_;
};

}  // namespace command
