// What the slow paths of the constructs have in common.
#pragma once

#include "observe/trace_cursor.hpp"
#include "system/nanoseconds.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>

namespace sennit::detail {

// Whether the strand is to give up at this construct: its region is cancelled.
bool stopped(worker& w) noexcept;

[[noreturn]] void throw_cancelled();

// For the strand of `w`, which met a shut gate: serves whoever shut it. False: the deque has no room for the
// latest frame. The strand may be on another worker afterwards.
bool answer_gates(worker& w, bool pushed = true) noexcept;

// After a pop met the gate, tail being lowered: true if the frame was still in the deque.
bool take_newest(worker& w) noexcept;

// push_shut() for a child of a group. `can_throw`: where its region is cancelled.
push_result spawn_shut(frame& child, bool can_throw);

// Counts a construct. A child of a group does not make the strand go a level deeper.
SENNIT_INLINE donee count_push(trace_cursor& strand, whereabouts& pushed, bool child) noexcept {
  donee chosen;
  if (strand.push(pushed)) [[unlikely]]
    chosen = strand.by().reached(strand, pushed);
  if (child) {
    pushed.plan = strand.level().plan;
    pushed.within = true;
    strand.pop();
  }
  return chosen;
}

// For a strand with a trace cursor: a child is about to be listed, or called.
donee observe_spawn(trace_cursor& strand, whereabouts& child) noexcept;

// wait() says whether the strand was suspended, and noted() is told how long it took.
template <class Wait, class Noted>
void wait_observed(trace_cursor& strand, const whereabouts& where, Wait&& wait, Noted&& noted) noexcept {
  strand.by().waits(strand, where);
  pause waited{.suspended = false, .begin = now_ns(), .end = 0};
  waited.suspended = wait();
  waited.end = now_ns();
  noted(waited);
}

// The strand runs what is inside a construct that has been counted, itself.
class level_within {
 public:
  level_within(trace_cursor& strand, const whereabouts& where, position size = 0) noexcept;
  level_within(const level_within&) = delete;
  level_within& operator=(const level_within&) = delete;
  ~level_within();

 private:
  trace_cursor& strand_;
  const whereabouts where_;
  const position size_;
};

// The strand runs something that no construct of its region is: nothing of it is kept.
class unrecorded_level {
 public:
  explicit unrecorded_level(trace_cursor& strand) noexcept;
  unrecorded_level(const unrecorded_level&) = delete;
  unrecorded_level& operator=(const unrecorded_level&) = delete;
  ~unrecorded_level();

 private:
  trace_cursor& strand_;
  worker& began_;
};

}  // namespace sennit::detail
