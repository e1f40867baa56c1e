// SPDX-License-Identifier: Apache-2.0
#include "graph/flow_limits.hpp"

#include "graph/flow_state.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>

#include <memory>
#include <new>
#include <utility>

namespace sennit::detail {

class flow_limits::helper : public frame_with_state {
 public:
  explicit helper(flow_limits& all) noexcept : frame_with_state(&run_elsewhere), all_(all) {}

 private:
  static fiber* run_elsewhere(frame& base) noexcept {
    const std::unique_ptr<helper> self(&static_cast<helper&>(base));
    self->all_.flow_.help_others(flow_state::helper_kind::branch, nullptr);
    return self->all_.end_branch(base);
  }
  flow_limits& all_;
};

bool flow_limits::add_helper() noexcept {
  auto* const made = new (std::nothrow) helper(*this);
  if (made == nullptr) return false;
  begin_to_wait();
  worker& here = *worker::current();
  made->mark_stolen(here.running().innermost->region);
  here.frames().listed().add(*made);
  here.announce_work();
  return true;
}

void flow_limits::go_on(waiting_item& admitted) noexcept {
  flow_.help_others(flow_state::helper_kind::branch, &admitted);
}

void flow_limits::end_early() noexcept { flow_.stop(); }

// --- What strands of the flow do.

bool flow_state::enter_limits(flow_task& task, strand& own) noexcept {
  if (task.more->limits.empty()) return true;
  bool entered = false;
  const auto enter = [&] {
    if (!std::exchange(own.is_admitted, false)) own.limits.set(task.more->limits);
    entered = limits_->enter(reinterpret_cast<std::uintptr_t>(&task), own.limits);
  };
#if SENNIT_EXCEPTIONS
  try {
    enter();
  } catch (...) {
    fail(std::current_exception());
  }
#else
  enter();
#endif
  return entered;
}

// Returns the task that goes on next in this strand: one that is admitted by that, or else `next`.
flow_task* flow_state::leave_limits(flow_task* next, strand& own) noexcept {
  if (own.limits.empty()) return next;
  limited_work::waiting_item* const admitted = limits_->leave(own.limits);
  if (admitted == nullptr) return next;
  if (next != nullptr) make_ready(*next, own);
  return take_admitted(*admitted, own);
}

flow_task* flow_state::take_admitted(limited_work::waiting_item& admitted, strand& own) noexcept {
  auto* const task = reinterpret_cast<flow_task*>(limits_->take(admitted, own.limits));
  own.is_admitted = true;
  return task;
}

void flow_state::drop_limits(strand& own) noexcept {
  if (!own.limits.empty()) limits_->drop(own.limits);
  own.is_admitted = false;
}

// The strand ends. Nobody waits for a permit once the flow has stopped.
void flow_state::end_limits(strand& own) noexcept {
  drop_limits(own);
  if (stopped()) limits_->stop();
}

// Before others know of the task. Throws std::bad_alloc.
void flow_state::set_limits(flow_task& task, std::span<limit* const> within) {
  if (task.more == nullptr) task.more = std::make_unique<flow_task_more>();
  if (!task.begins_slowly) task.more->exclusions.clear();
  task.more->limits.assign(within.begin(), within.end());
  task.begins_slowly = true;
}

}  // namespace sennit::detail
