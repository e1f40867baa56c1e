// SPDX-License-Identifier: Apache-2.0
#include "region/waiting_strand.hpp"

#include "stack/fiber.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>

namespace sennit::detail {

waiting_strand::call::call(waiting_strand& who) noexcept : frame_with_state(&resume), who_(who) {}

fiber* waiting_strand::call::resume(frame& base) noexcept {
  waiting_strand& who = static_cast<call&>(base).who_;
  leave_branch(base);
  who.seat_.core().going_on().fetch_sub(1, std::memory_order_relaxed);
  return who.suspended_;
}

namespace {

// The branch that resumes a strand is none of the program's. So a record does not have it.
region_state* unobserved(region_state* r) noexcept {
  while (r->observed_by != nullptr && r->outer != nullptr) r = r->outer;
  return r;
}

}  // namespace

waiting_strand::waiting_strand() noexcept
    : seat_(*worker::current()),
      region_(unobserved(worker::current()->running().innermost->region)),
      call_(*this) {
  // The outermost region is observed by a trace.
  call_.where() = {.position = 0, .plan = nullptr, .within = false};
}

bool waiting_strand::others_go_on() const noexcept {
  return seat_.core().going_on().load(std::memory_order_relaxed) != 0;
}

void waiting_strand::wait() noexcept { (void)worker::wait(done_, 1); }

void waiting_strand::go_on() noexcept {
  // A strand that is not suspended yet sees it, and this object ends.
  fiber* const suspended = done_.finish();
  if (suspended == nullptr) return;
  suspended_ = suspended;
  worker& seat = seat_;
  // No order: a worker that looks for such strands finds them under the locks of the lists.
  seat.core().going_on().fetch_add(1, std::memory_order_relaxed);
  call_.mark_stolen(region_);
  seat.frames().listed().add_first(call_);
  seat.announce_work();
}

}  // namespace sennit::detail
