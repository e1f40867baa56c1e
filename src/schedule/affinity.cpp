// SPDX-License-Identifier: Apache-2.0
#include "observe/trace_cursor.hpp"

#include <sennit/affinity.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/refine.hpp>
#include <sennit/split.hpp>

#include <chrono>
#include <utility>

namespace sennit {

struct affinity::state {
  enum class way { refined, followed, dealt, plain };

  static refinement begin(schedule start) { return refinement(std::move(start), {.settled = relaxed}); }

  // How the loop is run from now on.
  void choose() {
    if (!plan.converged()) {
      how = way::refined;
    } else if (plan.current().steals() == 0) {
      how = way::plain;
      still_plain = plain_for;
    } else if (plan.current().length() < worth_following) {
      how = way::dealt;
      parts = split(plan.current());
    } else {
      how = way::followed;
    }
  }
  void restart(detail::position length) {
    plan = begin(plan.current());
    iterations = length;
    how = way::refined;
  }

  static constexpr std::chrono::microseconds worth_following{250};
  static constexpr unsigned plain_for = 1024;

  refinement plan = begin({});
  detail::position iterations = 0;  // of the loop when the refinement began
  way how = way::refined;
  unsigned still_plain = 0;  // loops
  split parts{1.0};
};

affinity::affinity() : state_(std::make_unique<state>()) {}
affinity::affinity(affinity&&) noexcept = default;
affinity& affinity::operator=(affinity&&) noexcept = default;
affinity::~affinity() = default;

const split& affinity::parts() const noexcept { return state_->parts; }

void affinity::follow(detail::position iterations, detail::action loop, detail::action in_parts) const {
  if (state_ == nullptr || detail::current_tls().cursor != nullptr) return loop();
  state& s = *state_;
  if (iterations / 2 > s.iterations || s.iterations / 2 > iterations) s.restart(iterations);
  if (s.how == state::way::plain) {
    if (--s.still_plain != 0) return loop();
    s.restart(iterations);
  }
  if (s.how == state::way::dealt && !s.plan.other_workers()) {
    const auto begin = std::chrono::steady_clock::now();
    in_parts();
    s.plan.watch(std::chrono::steady_clock::now() - begin);
    if (!s.plan.converged()) s.how = state::way::refined;
    return;
  }
  const bool settled = s.plan.converged();
  s.plan.run(loop);
  if (s.plan.converged() != settled || s.how == state::way::dealt) s.choose();
}

}  // namespace sennit
