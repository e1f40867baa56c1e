#include "observe/trace_cursor.hpp"

#include <sennit/affinity.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/refine.hpp>

#include <utility>

namespace sennit {

struct affinity::state {
  static refinement begin(schedule start) { return refinement(std::move(start), {.settled = relaxed}); }

  refinement plan = begin({});
  detail::position iterations = 0;  // of the loop when the refinement began
};

affinity::affinity() : state_(std::make_unique<state>()) {}
affinity::affinity(affinity&&) noexcept = default;
affinity& affinity::operator=(affinity&&) noexcept = default;
affinity::~affinity() = default;

void affinity::follow(detail::position iterations, detail::action loop) const {
  if (detail::current_tls().cursor != nullptr) return loop();
  if (iterations / 2 > state_->iterations || state_->iterations / 2 > iterations) {
    state_->plan = state::begin(state_->plan.current());
    state_->iterations = iterations;
  }
  refinement& plan = state_->plan;
  if (plan.converged() && plan.current().steals() == 0) return loop();
  plan.run(loop);
}

}  // namespace sennit
