// SPDX-License-Identifier: Apache-2.0
// The slow paths of fork and join.
#include "fork/answer.hpp"
#include "fork/observation.hpp"
#include "fork/views.hpp"
#include "process/perturb.hpp"
#include "worker/unobserved_part.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/join.hpp>
#include <sennit/region.hpp>

#include <exception>
#include <memory>
#include <new>
#include <utility>

namespace sennit::detail {

namespace {

// Tells thieves that the trace cursor knows of the newest frame. True: nobody else has shut the push gate.
SENNIT_INLINE bool tell_of_push(worker_tls& tls) noexcept {
  slot* const tail = tls.tail.load(std::memory_order_relaxed);
  // ORD[D22] release: where the frame is; pairs with the acquire in deque::tail_for_thieves().
  // Model: models/deque.pml.
  tls.tail_seen.store(tail, std::memory_order_release);
  // ORD[D5] As in push_gate_shut(): no fence between the publication of tail and this.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return tail <= tls.limit_beneath.load(std::memory_order_relaxed);
}

// Tells thieves that the trace cursor does not know of the next frame yet. True: the frame that is popped is in the deque,
// and nobody else has shut the pop gate.
SENNIT_INLINE bool tell_of_pop(worker_tls& tls) noexcept {
  slot* const tail = tls.tail.load(std::memory_order_relaxed);
  // ORD[D22] release: the frames below are still those that a push told of; a plain store would not say so.
  // Model: models/deque.pml.
  tls.tail_seen.store(tail, std::memory_order_release);
  // ORD[D2] As in pop_gate_shut(): no fence between the store of tail and this.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return tail >= tls.head_gate_beneath.load(std::memory_order_relaxed);
}

// The push of a strand with a trace cursor. True: it is pushed, and nobody else shut the gate. `part`: what the branches are.
bool observe_push(trace_cursor& cursor, frame& pushed, construct begun, unobserved_part*& part) noexcept {
  const donee chosen = count_push(cursor, pushed.where(), begun);
  part = chosen.part;
  if (chosen.to != nullptr) [[unlikely]] {
    // Nobody else can have it yet.
    if (worker::current()->donate_newest(*chosen.to, chosen.number)) return true;
  }
  return tell_of_push(current_tls());
}

// Its pop. True: the frame is in the deque, and nobody else shut the gate.
bool observe_pop(trace_cursor& cursor, frame& popped) noexcept {
  const bool undisturbed = tell_of_pop(current_tls());
  if (!cursor.is_in(popped.where())) return undisturbed;
  const bool noted = cursor.pop();
  if (!undisturbed) return false;
  if (noted) [[unlikely]]
    cursor.by().kept(cursor, popped.where(), 0);
  return true;
}

// Takes back the newest frame. False if somebody else has it.
bool unpush(worker& w, frame& f) noexcept {
  trace_cursor* const cursor = current_tls().cursor;
  // The frame may be of before the cursor was here.
  const bool noted = cursor != nullptr && cursor->is_in(f.where()) && cursor->pop();
  store_tail(load_tail() - 1);
  const bool mine = take_newest(w) || listed_frames::reclaim(f);
  if (mine && noted) cursor->by().dropped(*cursor);
  return mine;
}

// The push that has met a gate that somebody else has shut.
[[gnu::noinline]] push_result answer_push(frame& pushed, bool can_throw) {
  perturb();  // a thief may have the frame, and may have cancelled the region
  worker* const w = worker::current();
  if (w == nullptr) {
    leave_outside_slots();
    return push_result::not_pushed;
  }
  if (can_throw && stopped(*w)) {
    if (unpush(*w, pushed)) throw_cancelled();
    return push_result::taken;
  }
  unobserved_part::look_at_latest();
  // A thief that has the frame already settles the matter: it is pushed.
  return answer_gates(*w) || !unpush(*w, pushed) ? push_result::pushed : push_result::not_pushed;
}

// The construct that the strand leaves is where it has called the library from.
SENNIT_INLINE void note_site(trace_cursor* cursor, const void* returns_to) noexcept {
  if (cursor != nullptr) cursor->site = reinterpret_cast<std::uintptr_t>(returns_to) - 1;
}

void await_branch(trace_cursor* cursor, frame& branch) noexcept {
  if (cursor != nullptr) {
    wait_observed(
        *cursor, branch.where(), [&] { return worker::wait(branch.stolen().done, 1); },
        [&](pause waited) { cursor->by().joined(*cursor, branch, waited); });
  } else {
    worker::wait(branch.stolen().done, 1);
  }
  append_views(branch.stolen().views);
  if (branch.stolen().result == outcome::value) end_state(branch);
}

// The pop of a frame that met the gate, and the trace cursor that counted it, if any: true if the branch is the strand's own,
// unstarted; otherwise it has ended.
bool settle(frame& f, trace_cursor*& counted) noexcept {
  if (unobserved_part* const part = unobserved_part::of(f)) part->end();
  unobserved_part::end_stretch_around(f);
  trace_cursor* const cursor = current_tls().cursor;
  counted = cursor != nullptr && cursor->is_in(f.where()) ? cursor : nullptr;
  if (cursor != nullptr && observe_pop(*cursor, f)) return true;
  if (take_newest(*worker::current()) || listed_frames::reclaim(f)) {
    if (counted != nullptr && counted->left().notes != nullptr) counted->by().kept(*counted, f.where(), 0);
    return true;
  }
  await_branch(counted, f);
  // Its thief may be looking for more already, and too late to ask before the next fork.
  worker::current()->frames().expect_thief();
  return false;
}

// The strand is to run its own frame as a thief would run it. False: there is no room for that.
bool prepare_in_place(frame& popped) noexcept {
  fiber& strand = worker::current()->running();
  if (!strand.memory().half_left()) return false;
  void* const room = ::operator new(sizeof(stolen_state), std::nothrow);
  if (room == nullptr) return false;
  popped.set_state(::new (room) stolen_state(strand.innermost->region, &strand));
  popped.stolen().allocated = true;
  popped.stolen().in_place = true;
  return true;
}

bool run_in_place(trace_cursor& cursor, frame& popped) noexcept {
  if (!prepare_in_place(popped)) return false;
  (void)cursor.descend();
  cursor.by().in_place_begins(cursor, popped.where());
  (void)popped.run();
  unobserved_part::end_stretch();
  cursor.by().in_place_ends(cursor, popped.where());
  (void)cursor.pop();
  unobserved_part::begin_between(cursor);
  if (popped.stolen().result == outcome::value) end_state(popped);
  return true;
}

// The pop of a frame that began a part that is not observed.
bool pop_part(unobserved_part& part, frame& popped, bool can_throw) {
  trace_cursor& cursor = part.cursor();
  part.go_on_with_right();
  const bool mine = take_newest(*worker::current()) || listed_frames::reclaim(popped);
  const bool stops = can_throw && stopped(*worker::current());
  if (mine && !stops && prepare_in_place(popped)) {
    cursor.by().unobserved_left_ends(cursor);
    (void)popped.run();
    // Unless it has gone on as the part of another fork, which has ended.
    if (unobserved_part::of(popped) == &part) {
      part.end();
    } else {
      unobserved_part::end_stretch();
    }
    (void)cursor.pop();
    cursor.by().unobserved_ends(cursor);
    unobserved_part::begin_between(cursor);
    if (popped.stolen().result == outcome::value) end_state(popped);
    return false;
  }
  part.end();
  if (cursor.pop() && mine) cursor.by().kept(cursor, popped.where(), 0);
  if (!mine) {
    await_branch(&cursor, popped);
    worker::current()->frames().expect_thief();
    return false;
  }
  if (stops) throw_cancelled();
  return true;
}

// After the pop of a frame, perhaps of one that has left its deque.
void lower_null_tail() noexcept {
  if (load_tail() == nullptr) worker::current()->frames().lower_tail();
}

[[gnu::noinline]] bool pop_settled(frame& popped, bool can_throw) {
  lower_null_tail();
  if (unobserved_part* const part = unobserved_part::of(popped)) return pop_part(*part, popped, can_throw);
  trace_cursor* cursor = nullptr;
  if (!settle(popped, cursor)) {
    if (cursor != nullptr) unobserved_part::begin_between(*cursor);
    return false;
  }
  if (can_throw && stopped(*worker::current())) throw_cancelled();
  return cursor == nullptr || !cursor->by().runs_in_place(*cursor, popped.where()) ||
         !run_in_place(*cursor, popped);
}

[[gnu::noinline]] push_result push_noticed(trace_cursor& cursor, frame& pushed, bool can_throw) {
  unobserved_part* part = nullptr;
  const push_result result =
      observe_push(cursor, pushed, {}, part) ? push_result::pushed : answer_push(pushed, can_throw);
  if (part != nullptr && result == push_result::pushed) (void)part->begin(pushed);
  return result;
}

// Each fork of an observed region comes here, so the usual case has no call.
SENNIT_INLINE push_result push_at_gate(frame& pushed, bool can_throw) {
  worker_tls& tls = sennit_tls;
  trace_cursor* const cursor = tls.cursor;
  if (cursor == nullptr) return answer_push(pushed, can_throw);
  if (!cursor->push_plainly(pushed.where())) [[unlikely]] {
    note_site(cursor, __builtin_return_address(0));
    return push_noticed(*cursor, pushed, can_throw);
  }
  if (tell_of_push(tls)) [[likely]]
    return push_result::pushed;
  return answer_push(pushed, can_throw);
}

// As push_at_gate().
SENNIT_INLINE bool pop_at_gate(frame& popped, bool can_throw) {
  worker_tls& tls = sennit_tls;
  if (trace_cursor* const cursor = tls.cursor; cursor != nullptr) {
    if (tell_of_pop(tls) && cursor->pop_plainly(popped.where())) [[likely]]
      return true;
    note_site(cursor, __builtin_return_address(0));
  }
  return pop_settled(popped, can_throw);
}

}  // namespace

#if SENNIT_EXCEPTIONS
push_result ending_early::push_shut(frame& pushed) { return push_at_gate(pushed, true); }
bool ending_early::pop_shut(frame& popped) { return pop_at_gate(popped, true); }
#endif
push_result ending_late::push_shut(frame& pushed) noexcept { return push_at_gate(pushed, false); }
bool ending_late::pop_shut(frame& popped) noexcept { return pop_at_gate(popped, false); }

push_result spawn_shut(frame& child, const void* group, bool can_throw) {
  if (trace_cursor* const cursor = current_tls().cursor) {
    unobserved_part* none = nullptr;
    if (observe_push(*cursor, child, {.what = construct::kind::child, .group = group}, none))
      return push_result::pushed;
  }
  return answer_push(child, can_throw);
}

void await_taken(frame& branch) noexcept {
  note_site(current_tls().cursor, __builtin_return_address(0));
  trace_cursor* const cursor = current_tls().cursor;
  await_branch(cursor != nullptr && cursor->has_left(branch.where()) ? cursor : nullptr, branch);
}

bool pop_unwinding(frame& popped) noexcept {
  if (pop(popped)) return true;
  lower_null_tail();
  note_site(current_tls().cursor, __builtin_return_address(0));
  trace_cursor* counted = nullptr;
  return settle(popped, counted);
}

#if SENNIT_EXCEPTIONS

namespace {

// What the awaited branch threw; null: it was dropped.
std::exception_ptr end_without_value(frame& branch) noexcept {
  std::exception_ptr failure = std::move(branch.stolen().failure);
  end_state(branch);
  return failure;
}

}  // namespace

#endif

void throw_outcome(frame& branch) {
  if (branch.state() == nullptr) throw_cancelled();
#if SENNIT_EXCEPTIONS
  if (std::exception_ptr failure = end_without_value(branch)) std::rethrow_exception(std::move(failure));
#else
  end_state(branch);
#endif
  throw_cancelled();
}

#if SENNIT_EXCEPTIONS

namespace {

bool is_cancelled(const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (const sennit::cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

void keep_exception(std::exception_ptr* kept) noexcept { std::construct_at(kept, std::current_exception()); }

void throw_leftmost(std::exception_ptr* kept, frame* right) {
  std::exception_ptr left = std::move(*kept);
  std::destroy_at(kept);
  if (right != nullptr && right->state() != nullptr) {
    std::exception_ptr other = end_without_value(*right);
    if (other != nullptr && is_cancelled(left)) std::rethrow_exception(std::move(other));
  }
  std::rethrow_exception(std::move(left));
}

#endif

}  // namespace sennit::detail
