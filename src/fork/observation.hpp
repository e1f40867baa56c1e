// What the constructs of an observed region tell its hooks. docs/protocols/trace_cursors.md has the protocol.
#pragma once

#include "observe/trace_cursor.hpp"
#include "system/nanoseconds.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/action.hpp>

namespace sennit::detail {

// Runs the body as a region that is observed, in the calling strand, or else in one of the default runtime.
void observe(schedule_hooks& by, action body);

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
