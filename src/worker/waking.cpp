// SPDX-License-Identifier: Apache-2.0
// Which workers are told that there is work. docs/protocols/sleep.md has the protocol.
#include "policy/wakes.hpp"
#include "worker/runtime_core.hpp"

#include <algorithm>

namespace sennit::detail {

barriers::ticket runtime_core::ask_for_wakes() noexcept {
  const unsigned count = worker_count();
  barriers::ticket latest = 0;
  for (unsigned i = 0; i < count; ++i) latest = std::max(latest, worker_at(i).frames().ask_for_wake());
  return latest;
}

bool runtime_core::arm_gates(const wanted& what) noexcept {
  const barriers::ticket shut = ask_for_wakes();
  // ORD[D5] After the barrier an owner either sees its gate shut at its next push, or its latest push is
  // visible here. Where all gates have been shut for so long that one has been since, there is none. Model:
  // models/sleep.pml.
  if (barrier() == steal_barrier::membarrier) barriers_.settle(shut);
  return work_in_sight(what);
}

bool runtime_core::work_in_sight(const wanted& what) noexcept {
  const unsigned count = worker_count();
  for (unsigned i = 0; i < count; ++i) {
    if (worker_at(i).frames().has_work(what)) return true;
  }
  return false;
}

worker_frames::watched runtime_core::look_again() noexcept {
  worker_frames::watched all{.lasts = false, .met = false};
  const unsigned count = worker_count();
  for (unsigned i = 0; i < count && !all.lasts; ++i) {
    const worker_frames::watched seen = worker_at(i).frames().look_again();
    all.lasts = all.lasts || seen.lasts;
    all.met = all.met || seen.met;
  }
  return all;
}

void runtime_core::call_for_work(const region_state* pushed_in) noexcept {
  // ORD[D9] The list's lock was released after the insertion; see sleepers::announce().
  if (!asleep_.any() && !asleep_.watched()) return;
  const worker* const here = worker::current();
  const unsigned seen_at = here != nullptr ? here->index() : no_seat;
  if (!asleep_.call_one(seen_at)) (void)wake_guests(1, pushed_in);
}

// A guest takes only work of its own region. It is told of a push in this region even if the frame is gone,
// because the push has opened a gate that the guest had shut.
unsigned runtime_core::wake_guests(unsigned most, const region_state* pushed_in) noexcept {
  unsigned woken = 0;
  const unsigned count = worker_count();
  for (unsigned i = thread_seats(); i < count && woken < most; ++i) {
    worker& w = worker_at(i);
    if (!w.sleep_place().asleep.load(std::memory_order_relaxed) || !w.is_guest()) continue;
    const wanted wish = w.frames().wish().now();
    if (pushed_in != nullptr ? !wish.admits(pushed_in) : !work_in_sight(wish)) continue;
    if (asleep_.wake_guest(w.sleep_place())) ++woken;
  }
  return woken;
}

unsigned runtime_core::wake_for_work(unsigned most) noexcept {
  worker* const here = worker::current();
  const sleeping* const by = here != nullptr ? &here->sleep_place() : nullptr;
  const unsigned count = worker_count();
  unsigned found = 0;
  unsigned woken = 0;
  const unsigned source = here != nullptr ? here->source() : 0;
  for (unsigned i = 0; i < count && found < most; ++i) {
    const unsigned seat = policy::looks_for_others_at(i, source, count);
    const unsigned more = worker_at(seat).frames().work_for(most - found);
    found += more;
    woken += asleep_.wake(more, by, seat);
  }
  return woken < found ? woken + wake_guests(found - woken, nullptr) : woken;
}

void runtime_core::wake_more() noexcept {
  const bool last = asleep_.landed();
  if (!policy::wakes_more(asleep_.any(), asleep_.watched()) || wake_for_work(policy::wakes_each) > 0) return;
  // If another wake is in flight, its owner will look. If this wake is the last one, this worker looks, behind
  // a barrier.
  if (!last) return;
  if (arm_gates({})) (void)wake_for_work(policy::wakes_each);
}

void runtime_core::falls_asleep(worker& w) noexcept {
  asleep_.announce(w.sleep_place(), w.is_guest());
  note_at_work();
}

bool runtime_core::wakes_up(worker& w, bool saw_work) noexcept {
  const bool owns_wake = asleep_.withdraw(w.sleep_place(), saw_work);
  note_at_work();
  return owns_wake;
}

void runtime_core::note_at_work() noexcept {
  barriers_.reaches(seated_.load(std::memory_order_relaxed) - asleep_.count() - 1);
}

}  // namespace sennit::detail
