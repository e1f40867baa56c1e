// SPDX-License-Identifier: Apache-2.0
// What others do with a worker's frames: take the oldest work, look whether there is any, have themselves told of it.
#include "deque/worker_frames.hpp"
#include "policy/wakes.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>
#include <mutex>

namespace sennit::detail {

frame* worker_frames::steal(bool insist, const wanted& what, reserve& memory) noexcept {
  if (!worth_a_look(insist)) return nullptr;
  memory.fill();
  if (!lock().try_lock()) return nullptr;
  const std::lock_guard guard(lock(), std::adopt_lock);
  // Promoted frames are older than those in the deque.
  if (frame* const older = listed_.take_promoted(what, insist)) return older;
  // Another thief may have been here since the hints were read.
  const eligibility may = eligible_for(what);
  if (!may) return nullptr;
  return deque_.is_fenced() || ask_or_withdraw() ? claim(may, memory) : nullptr;
}

// Looks at hints only. A thief that insists looks in any case.
bool worker_frames::worth_a_look(bool insist) const noexcept {
  if (insist || listed_.any()) return true;
  return !nothing_to_steal_.load(std::memory_order_relaxed) && !promotions_.too_early();
}

// Asks the owner for a frame. If the owner has been asked long enough ago, has a frame and did not answer: withdraws the
// request and returns true. The caller then claims behind a barrier.
bool worker_frames::ask_or_withdraw() noexcept {
  const bool none = deque_.nothing_latent();
  if (!request_.asks_for(none)) {
    // The frame that the owner was asked for may be on its way to a worker, which should not ask for more meanwhile.
    if (request_.pending() || !nothing_to_steal_.load(std::memory_order_relaxed)) ask(none);
    return false;
  }
  if (none || request_.insists() || !request_.overdue(now_ns())) return false;
  request_.answer();
  nothing_to_steal_.store(false, std::memory_order_relaxed);
  return true;
}

frame* worker_frames::claim(const eligibility& may, reserve& memory) noexcept {
  const deque::claimed got = deque_.claim(may, memory);
  if (got.under_way) insist();
  if (!deque_.is_fenced()) {
    request_.barrier_took(got.barrier_ns);
    follow_reasons();
  }
  return got.frame;
}

// All parts that are left are under way. The worker that runs them must stop in between and hand over half of what is
// left.
void worker_frames::insist() noexcept {
  request_.insist(now_ns());
  nothing_to_steal_.store(true, std::memory_order_relaxed);
  follow_reasons();
}

bool worker_frames::has_work(const wanted& what) noexcept {
  const std::lock_guard guard(lock());
  return listed_.has(what) || (deque_.has_owner() && here_.runs_for(what) && !deque_.nothing_latent());
}

unsigned worker_frames::work_for(unsigned most) noexcept {
  const std::lock_guard guard(lock());
  const filled_slots in = deque_.filled();
  const bool divisible = in.head < in.tail && divisible_in(*deque_.head()) != nullptr;
  const std::size_t frames =
      divisible ? 1 : listed_.count(most) + static_cast<std::size_t>(in.tail - in.head);
  return static_cast<unsigned>(policy::workers_for(frames, divisible, most));
}

barriers::ticket worker_frames::ask_for_wake() noexcept {
  const std::lock_guard guard(lock());
  if (!wake_.pending()) {
    deque_.shut_push_gate(wake_wanted);
    wake_.begin(barriers_.now());
  }
  return wake_.since();
}

worker_frames::watched worker_frames::look_again() noexcept {
  const std::lock_guard guard(lock());
  const bool met = wake_.has_been_met();
  const bool lasts = listed_.any() || listed_.has_open_donation({}) || wake_.lasts(epoch(), deque_.filled());
  return {.lasts = lasts, .met = met};
}

void worker_frames::ask_to_leave() noexcept {
  const std::lock_guard guard(lock());
  leave_.ask();
  deque_.shut_push_gate(leave_wanted);
}

worker_frames::sign worker_frames::ask_for_sign() noexcept {
  const std::lock_guard guard(lock());
  sign_.ask();
  deque_.shut_push_gate(sign_wanted);
  if (!deque_.has_owner()) return {};
  return {.signs = sign_.signs(), .epoch = epoch(), .tail = deque_.tail(), .strand = here_.strand()};
}

worker_frames::holding worker_frames::look() noexcept {
  const std::lock_guard guard(lock());
  const filled_slots in = deque_.filled();
  const auto [listed, oldest] = listed_.look();
  return {.latent = in.tail - in.head, .listed = listed, .oldest_listed = oldest, .strand = here_.strand()};
}

}  // namespace sennit::detail
