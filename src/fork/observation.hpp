// SPDX-License-Identifier: Apache-2.0
// What the constructs of an observed region tell its hooks. docs/protocols/trace_cursors.md has the protocol.
#pragma once

#include "observe/trace_cursor.hpp"
#include "system/nanoseconds.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/action.hpp>

namespace sennit::detail {

// Counts a construct. A child of a group does not make the strand go a level deeper.
SENNIT_INLINE donee count_push(trace_cursor& cursor, whereabouts& pushed, construct begun) noexcept {
  donee chosen;
  if (cursor.push(pushed)) [[unlikely]]
    chosen = cursor.by().reached(cursor, pushed, begun);
  if (begun.what == construct::kind::child) {
    pushed.plan = cursor.level().plan;
    pushed.within = true;
    cursor.pop();
  }
  return chosen;
}

// A child of a strand with a trace cursor is about to be listed, or called.
donee observe_spawn(trace_cursor& cursor, whereabouts& child, const void* group) noexcept;

// wait() says whether the strand was suspended, and noted() is told how long it took.
template <class Wait, class Noted>
void wait_observed(trace_cursor& cursor, const whereabouts& where, Wait&& wait, Noted&& noted) noexcept {
  cursor.by().waits(cursor, where);
  pause waited{.suspended = false, .begin = now_ns(), .end = 0};
  waited.suspended = wait();
  waited.end = now_ns();
  noted(waited);
}

// The strand runs what is inside a construct that has been counted, itself.
class level_within {
 public:
  level_within(trace_cursor& cursor, const whereabouts& where, position size = 0) noexcept;
  level_within(const level_within&) = delete;
  level_within& operator=(const level_within&) = delete;
  ~level_within();

 private:
  trace_cursor& cursor_;
  const whereabouts where_;
  const position size_;
};

// The strand runs something that no construct of its region is: nothing of it is kept.
class unrecorded_level {
 public:
  explicit unrecorded_level(trace_cursor& cursor) noexcept;
  unrecorded_level(const unrecorded_level&) = delete;
  unrecorded_level& operator=(const unrecorded_level&) = delete;
  ~unrecorded_level();

 private:
  trace_cursor& cursor_;
  worker& began_;
};

}  // namespace sennit::detail
