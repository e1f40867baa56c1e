// When a schedule that is refined round by round is as good as it gets. Pure: no clock, no schedules.
#pragma once

#include <algorithm>

namespace sennit::detail {

class convergence {
 public:
  struct limits {
    double tolerance;      // less than this share of all time is no improvement
    unsigned vain_rounds;  // in a row
    unsigned most_rounds;
  };

  explicit convergence(const limits& l) noexcept : limits_(l), done_(l.most_rounds == 0) {}

  // A round has taken so long, of all workers together, in whatever unit. The first one is an improvement.
  void note(double busy, double idle) noexcept {
    const double noticeable = limits_.tolerance * (busy + idle);
    const bool better = rounds_ == 0 || idle + noticeable < idle_ || busy + noticeable < busy_;
    vain_ = better ? 0 : vain_ + 1;
    idle_ = rounds_ == 0 ? idle : std::min(idle_, idle);
    busy_ = rounds_ == 0 ? busy : std::min(busy_, busy);
    ++rounds_;
    done_ = vain_ >= limits_.vain_rounds || rounds_ >= limits_.most_rounds;
  }

  bool done() const noexcept { return done_; }
  unsigned rounds() const noexcept { return rounds_; }
  // Whether the next round is the last, however good it is.
  bool last_is_next() const noexcept { return rounds_ + 1 == limits_.most_rounds; }

 private:
  limits limits_;
  bool done_;
  unsigned rounds_ = 0;
  unsigned vain_ = 0;
  // The least so far.
  double idle_ = 0;
  double busy_ = 0;
};

}  // namespace sennit::detail
