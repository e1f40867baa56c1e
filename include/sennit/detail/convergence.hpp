// SPDX-License-Identifier: Apache-2.0
// When the refinement of a schedule has converged, and which of its rounds was the best. Pure: it uses neither
// clocks nor schedules.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace sennit::detail {

class convergence {
 public:
  struct limits {
    double tolerance;      // a smaller share of all time does not count as improvement
    unsigned vain_rounds;  // in a row
    unsigned most_rounds;
  };

  explicit convergence(const limits& l) noexcept : limits_(l), done_(l.most_rounds == 0) {}

  // Notes the times of a round, of all workers together, in any unit. The first round counts as an
  // improvement. `preferred`: the round is the best even if it took longer, within the tolerance. True: it is the
  // best so far, which is the one that took the least time from beginning to end: a busy machine makes a round
  // longer, never shorter.
  bool note(double busy, double idle, bool preferred = false) noexcept {
    const double all = busy + idle;
    const double noticeable = limits_.tolerance * all;
    const bool better = idle + noticeable < idle_ || busy + noticeable < busy_;
    const bool best = all < best_ || (preferred && all - noticeable <= best_);
    if (better) {
      vain_ = 0;
    } else if (!disturbed(all)) {
      ++vain_;
    }
    idle_ = std::min(idle_, idle);
    busy_ = std::min(busy_, busy);
    best_ = std::min(best_, all);
    latest_[rounds_ % latest_.size()] = all;
    ++rounds_;
    done_ = vain_ >= limits_.vain_rounds || rounds_ >= limits_.most_rounds;
    return best;
  }

  bool done() const noexcept { return done_; }
  unsigned rounds() const noexcept { return rounds_; }
  // Whether the next round is the last one in any case.
  bool last_is_next() const noexcept { return rounds_ + 1 == limits_.most_rounds; }

 private:
  // Whether a round took so much longer than the median of the latest ones that it says something of the machine
  // rather than of the schedule.
  bool disturbed(double all) const noexcept {
    constexpr double far = 1.5;
    const std::size_t known = std::min<std::size_t>(rounds_, latest_.size());
    std::array<double, 5> sorted = latest_;
    if (known == 0) return false;
    const auto median = sorted.begin() + static_cast<std::ptrdiff_t>((known - 1) / 2);
    std::nth_element(sorted.begin(), median, sorted.begin() + static_cast<std::ptrdiff_t>(known));
    return all > far * *median;
  }

  limits limits_;
  bool done_;
  unsigned rounds_ = 0;
  unsigned vain_ = 0;
  // The smallest times so far.
  double idle_ = std::numeric_limits<double>::infinity();
  double busy_ = idle_;
  double best_ = idle_;  // of both together
  std::array<double, 5> latest_{};
};

}  // namespace sennit::detail
