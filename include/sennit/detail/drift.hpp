// SPDX-License-Identifier: Apache-2.0
// When a schedule that has converged does not fit any more. Pure: it uses neither clocks nor schedules.
#pragma once

#include <algorithm>
#include <array>

namespace sennit::detail {

// Watches how long the phases take that follow one schedule, in any unit.
class drift {
 public:
  // A schedule is followed from now on; the round that it comes from took `best`. If this is no better than the phases
  // for which the schedule before was given up, the machine or the program is slower, and no schedule helps. Then the
  // next one is given up for twice as many late phases.
  void begin(double best) noexcept {
    constexpr unsigned most_needed = 1024;
    constexpr double worthwhile = 0.9;
    const bool vain = given_up_ > 0 && best > worthwhile * given_up_;
    needed_ = vain ? std::min(2 * needed_, most_needed) : few;
    known_ = 0;
    late_ = 0;
    given_up_ = 0;
  }

  // A phase took so long. True: the schedule should be given up. That is so for the third late phase in a
  // row. The first three say what is usual.
  bool note(double took) noexcept {
    constexpr double far = 1.25;
    if (known_ < few) {
      first_[known_++] = took;
      std::sort(first_.begin(), first_.begin() + known_);
      return false;
    }
    if (took <= far * first_[few / 2]) {
      late_ = 0;
      return false;
    }
    fastest_late_ = late_ == 0 ? took : std::min(fastest_late_, took);
    if (++late_ < needed_) return false;
    given_up_ = fastest_late_;
    return true;
  }

 private:
  static constexpr unsigned few = 3;

  std::array<double, few> first_{};
  unsigned known_ = 0;
  unsigned late_ = 0;  // in a row
  unsigned needed_ = few;
  double fastest_late_ = 0;
  double given_up_ = 0;  // what the schedule before took in the end; 0: it was not given up
};

}  // namespace sennit::detail
