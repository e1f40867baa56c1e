// SPDX-License-Identifier: Apache-2.0
// The earliest of a fixed number of times: a tournament tree (Knuth, volume 3, 5.4.1).
#pragma once

#include "time/picoseconds.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace sennit::sim {

inline constexpr picoseconds never = ~picoseconds{0};

// Of those with equal times, the lowest number is the earliest. A change takes log2 n comparisons, and no memory.
class tournament {
 public:
  explicit tournament(unsigned players)
      : leaves_(std::bit_ceil(std::max(players, 2U))), times_(leaves_, never), winners_(leaves_ * 2) {
    for (unsigned i = 0; i < leaves_; ++i) winners_[leaves_ + i] = i;
    for (unsigned i = leaves_ - 1; i > 0; --i) winners_[i] = winners_[2 * i];
  }

  picoseconds at(unsigned player) const noexcept { return times_[player]; }
  unsigned earliest() const noexcept { return winners_[1]; }
  picoseconds earliest_time() const noexcept { return times_[winners_[1]]; }

  void set(unsigned player, picoseconds time) noexcept {
    times_[player] = time;
    for (unsigned at = (leaves_ + player) / 2; at > 0; at /= 2) {
      const unsigned winner = better(winners_[2 * at], winners_[2 * at + 1]);
      // Who won before against the player with another time still does, and further up nothing changes.
      if (winner == winners_[at] && winner != player) return;
      winners_[at] = winner;
    }
  }

  // The earliest of all others.
  unsigned second() const noexcept {
    const unsigned first = winners_[1];
    unsigned at = leaves_ + first;
    unsigned best = winners_[at ^ 1];
    for (at /= 2; at > 1; at /= 2)
      best = better(std::min(best, winners_[at ^ 1]), std::max(best, winners_[at ^ 1]));
    return best;
  }

 private:
  // Precondition: left < right.
  unsigned better(unsigned left, unsigned right) const noexcept {
    return times_[right] < times_[left] ? right : left;
  }

  const unsigned leaves_;
  std::vector<picoseconds> times_;
  std::vector<unsigned> winners_;  // of each pair; the leaves are the players
};

}  // namespace sennit::sim
