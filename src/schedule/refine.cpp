// SPDX-License-Identifier: Apache-2.0
#include "schedule/coarsening.hpp"
#include "schedule/follow.hpp"
#include "schedule/plan.hpp"
#include "schedule/steal_tree.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/refine.hpp>
#include <sennit/worker.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace sennit {

refinement::refinement(schedule start, refinement_options options)
    : current_(std::move(start)),
      options_(options),
      rule_({options.tolerance, options.vain_rounds, options.most_rounds}) {
  if (!(options_.tolerance >= 0 && options_.tolerance <= 1)) {
    detail::fail<std::invalid_argument>("sennit::refinement: a tolerance of " +
                                        std::to_string(options_.tolerance) +
                                        "; it is a share, from 0 to 1, as in 0.02");
  }
  if (!(options_.prune >= 0 && options_.prune <= 100)) {
    detail::fail<std::invalid_argument>("sennit::refinement: prune = " + std::to_string(options_.prune) +
                                        "; it is a percentage, from 0 to 100");
  }
}

schedule refinement::followed() const {
  if (options_.prune == 0) return current_;
  const auto tree = detail::schedule_access::tree(current_);
  const std::size_t all = detail::steals(*tree);
  const auto share = static_cast<std::size_t>(static_cast<double>(all) * (100 - options_.prune) / 100);
  const std::size_t kept = detail::steals_that_keep_busy(*tree, share);
  return kept < all ? detail::schedule_access::make(detail::hold(detail::prune(*tree, kept))) : current_;
}

refinement refinement::next(detail::action kernel) const {
  refinement refined = *this;
  const schedule before = followed();
  refined.note(*detail::run_scheduled(&before, last_round() ? strict_unordered : relaxed, true, kernel));
  return refined;
}

void refinement::follow(detail::action kernel) {
  const auto begin = std::chrono::steady_clock::now();
  if (plan_ == nullptr) plan_ = std::make_shared<detail::plan>(*detail::schedule_access::tree(current_));
  detail::follow(*plan_, options_.settled, kernel);
  watch(std::chrono::steady_clock::now() - begin);
}

void refinement::note(schedule next) {
  double busy = 0;
  double idle = 0;
  for (const worker_share& share : next.shares()) {
    busy += static_cast<double>(share.busy.count());
    idle += static_cast<double>(share.idle.count());
  }
  // What is followed in the end without stealing is best in few parts.
  const bool coarse = last_round();
  if (rule_.note(busy, idle, coarse)) best_ = next;
  current_ = std::move(next);
  plan_.reset();
  if (!converged()) return;
  current_ = best_;
  workers_ = worker_count();
  drift_.begin(static_cast<double>(current_.length().count()));
}

// Also begins again, as a schedule for another number of workers is only a beginning.
bool refinement::other_workers() {
  if (options_.most_rounds == 0 || workers_ == worker_count()) return false;
  begin_again();
  return true;
}

void refinement::watch(std::chrono::nanoseconds took) {
  if (drift_.note(static_cast<double>(took.count())) && options_.most_rounds != 0) begin_again();
}

void refinement::begin_again() {
  rule_ = detail::convergence({options_.tolerance, options_.vain_rounds, options_.most_rounds});
}

}  // namespace sennit
