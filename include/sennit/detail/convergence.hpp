// When the refinement of a schedule has converged. Pure: it uses neither clocks nor schedules.
#pragma once

#include <algorithm>

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
  // improvement.
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
  // Whether the next round is the last one in any case.
  bool last_is_next() const noexcept { return rounds_ + 1 == limits_.most_rounds; }

 private:
  limits limits_;
  bool done_;
  unsigned rounds_ = 0;
  unsigned vain_ = 0;
  // The smallest times so far.
  double idle_ = 0;
  double busy_ = 0;
};

}  // namespace sennit::detail
