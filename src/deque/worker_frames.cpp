// SPDX-License-Identifier: Apache-2.0
#include "deque/worker_frames.hpp"

#include "system/nanoseconds.hpp"

#include <sennit/detail/assert.hpp>

#include <mutex>

namespace sennit::detail {

worker_frames::worker_frames(std::size_t slots, barriers& shared, bool is_fenced, unsigned lasting,
                             std::uint64_t beat_ns, unsigned workers)
    : deque_(slots, shared, lasting | (is_fenced ? unsigned{fenced} : 0U), promotions_),
      barriers_(shared),
      request_(workers),
      promotions_(here_, beat_ns) {
  deque_.set_reasons(reasons());
}

void worker_frames::attach(worker_tls& tls) noexcept {
  const std::lock_guard guard(lock());
  deque_.attach(tls);
  here_.move_to(bottom());
  listed_.abandon(false);
  nothing_to_steal_.store(request_.pending(), std::memory_order_relaxed);
  tls.loop_mask = deque_.is_fenced() ? 0 : ~std::uint64_t{0};
}

void worker_frames::detach(bool for_good) noexcept {
  const std::lock_guard guard(lock());
  deque_.detach();
  listed_.abandon(for_good);
  nothing_to_steal_.store(true, std::memory_order_relaxed);
}

bool worker_frames::enter(scope* innermost, bool thieves_search, bool sleepers) noexcept {
  const std::lock_guard guard(lock());
  here_.enter(innermost);
  follow_region();
  promotions_.follow(innermost != nullptr ? innermost->region : nullptr);
  // The owner's own gate: its next push sees it without a barrier.
  if (here_.follow_root() && sleepers && !wake_.pending()) wake_.begin(barriers_.now());
  if (innermost != nullptr) end_strictness();
  if (thieves_search) ask_ahead();
  follow_reasons();
  return listed_.has_open_donation({});
}

// No thief looked here while the strand before was in a strict region.
void worker_frames::end_strictness() noexcept {
  if (nothing_to_steal_.load(std::memory_order_relaxed) && !here_.strict() && !request_.pending())
    nothing_to_steal_.store(false, std::memory_order_relaxed);
}

void worker_frames::leave() noexcept {
  forget_positions();
  (void)enter(nullptr);
}

void worker_frames::region_cancelled() noexcept {
  const std::lock_guard guard(lock());
  follow_region();
}

void worker_frames::follow_region() noexcept {
  const unsigned changed = here_.follow_region();
  if (changed == 0) return;
  if (deque_.has_owner() && (changed & here_.reasons() & observed) != 0) deque_.note_tail_seen();
  follow_reasons();
}

unsigned worker_frames::reasons() const noexcept {
  return here_.reasons() | wake_.reasons() | request_.reasons() | sign_.reasons() | leave_.reasons();
}

void worker_frames::follow_reasons() noexcept {
  SENNIT_ASSERT(deque_.has_owner() || nothing_to_steal_.load(std::memory_order_relaxed));
  deque_.set_reasons(reasons(), here_.floor());
}

void worker_frames::begin_anew() noexcept {
  SENNIT_ASSERT(deque_.reasons() == (reasons() | deque_.lasting_reasons()));
  here_.move_to(bottom());
  deque_.begin_anew();
}

worker_frames::opened worker_frames::open_push_gate(const sleepers& asleep, bool pushed,
                                                    reserve& memory) noexcept {
  memory.fill();
  const std::lock_guard guard(lock());
  SENNIT_ASSERT(deque_.head() <= deque_.tail());
  opened result{.wake = wake_.met(asleep, pushed, epoch(), deque_.filled()),
                .room = deque_.has_room(),
                .handed = nullptr};
  sign_.met();
  leave_.met(result.room);
  if (request_.pending()) result.handed = hand_over_oldest(memory);
  follow_reasons();
  return result;
}

void worker_frames::lower_tail() noexcept {
  const std::lock_guard guard(lock());
  deque_.lower_tail();
}

worker_frames::popped worker_frames::pop_locked(reserve& memory) noexcept {
  memory.fill();
  const std::lock_guard guard(lock());
  if (deque_.newest_has_left()) {
    // Where the pops of the older frames will meet the gate again.
    begin_anew();
    return {.mine = false, .handed = nullptr};
  }
  frame* const handed = request_.pending() ? hand_over_oldest(memory) : nullptr;
  if (request_.pending() && empty()) request_.wait_for_push();
  follow_reasons();
  return {.mine = true, .handed = handed};
}

// The owner calls it, so no barrier is needed.
frame* worker_frames::hand_over_oldest(reserve& memory) noexcept {
  if (!eligible_for({})) {
    // Asked for before the strand was in its region.
    turn_down();
    return nullptr;
  }
  // Too little is not worth a steal, as far as is known: should it last, a barrier will get at it.
  const parting how = request_.insists() ? parting::half : parting::half_if_worth;
  const promoted oldest = deque_.take_oldest(how, memory);
  request_.defer(oldest.too_little);
  if (oldest.frame != nullptr) request_.answer();
  // Else each fork and join would try again.
  if (oldest.no_memory) turn_down();
  return oldest.frame;
}

// Thieves may ask again.
void worker_frames::turn_down() noexcept {
  request_.answer();
  if (!here_.strict()) nothing_to_steal_.store(false, std::memory_order_relaxed);
}

bool worker_frames::promote_all(reserve& memory) noexcept {
  memory.fill(deque_.in_need());
  const std::lock_guard guard(lock());
  const slot* const tail = deque_.tail();
  const slot* const head = deque_.head();
  SENNIT_ASSERT(head <= tail);
  for (const slot* at = head; at < tail; ++at) list(at, memory);
  begin_anew();
  here_.enter(nullptr);
  return head < tail;
}

// Without memory the frame stays with its strand.
void worker_frames::list(const slot* at, reserve& memory) noexcept {
  const promoted of = deque_.take_from(at, parting::all, memory);
  if (of.frame != nullptr) listed_.append(*of.frame);
  if (of.no_memory) branch_in(*at).leave_slot();
}

worker_frames::split_off worker_frames::split_off_newest(reserve& memory) noexcept {
  memory.fill(deque_.in_need());
  const std::lock_guard guard(lock());
  const slot* const newest = deque_.tail() - 1;
  const slot* const head = deque_.head();
  SENNIT_ASSERT(head <= newest && divisible_in(*newest) == nullptr);
  frame* const branch = deque_.take_from(newest, parting::all, memory).frame;
  if (branch == nullptr) return {.newest = nullptr, .listed = false};
  for (const slot* at = head; at < newest; ++at) list(at, memory);
  begin_anew();
  return {.newest = branch, .listed = head < newest && !here_.strict()};
}

void worker_frames::handed_on() noexcept {
  const std::lock_guard guard(lock());
  if (!request_.pending()) nothing_to_steal_.store(false, std::memory_order_relaxed);
}

void worker_frames::searchers_served() noexcept {
  const std::lock_guard guard(lock());
  if (request_.for_next_push()) request_.answer();
  if (!request_.pending()) nothing_to_steal_.store(false, std::memory_order_relaxed);
  follow_reasons();
}

void worker_frames::expect_thief() noexcept {
  if (deque_.is_fenced()) return;
  const std::lock_guard guard(lock());
  ask_ahead();
}

// Asks for the frame of the next push.
void worker_frames::ask_ahead() noexcept {
  if (!deque_.is_fenced() && !request_.pending() && eligible_for({})) ask(true);
}

void worker_frames::ask(bool next_push) noexcept {
  request_.ask(next_push, now_ns());
  nothing_to_steal_.store(true, std::memory_order_relaxed);
  follow_reasons();
}

bool worker_frames::admit(divisible& newest, color_set colors, bool again) noexcept {
  if (again && !empty()) return false;
  if (again) begin_anew();
  return deque_.push(newest, colors);
}

void worker_frames::readmit(divisible& newest) noexcept {
  const std::lock_guard guard(lock());
  if (newest.exhausted() || !empty()) return;
  // All older frames have left, too.
  begin_anew();
  deque_.readmit(newest);
}

}  // namespace sennit::detail
