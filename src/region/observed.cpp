#include "region/observed.hpp"

#include "observe/trace_cursor.hpp"
#include "stack/strand_state.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/region.hpp>

#include <cstdio>
#include <cstdlib>

namespace sennit::detail {

namespace {

// Children refer to their region, to its schedule's hooks and to what those follow.
void check_children(const trace_cursor& cursor) noexcept {
  if (cursor.children == 0) return;
  std::fputs("sennit: the function of a record, replay or design ends before children that it spawned in a "
             "task_group from outside it: call the group's wait() in the function, too.\n",
             stderr);
  std::abort();
}

}  // namespace

void observe(schedule_hooks& by, action body) {
  if (worker::current() == nullptr) {
    auto inside = [&] { observe(by, body); };
    run_region(nullptr, inside);
    return;
  }
  region_state region;
  region.observed_by = &by;
  trace_cursor cursor(by);
  // The frames of the strands around do not belong to the schedule.
  worker::current()->relocate();
  struct observation {
    trace_cursor& cursor;
    worker& began = *worker::current();
    trace_cursor* const before = exchange_cursor(&cursor);
    explicit observation(trace_cursor& s) noexcept : cursor(s) { cursor.by().begin(cursor, nullptr); }
    ~observation() {
      check_children(cursor);
      cursor.by().end(cursor, nullptr);
      exchange_cursor(before);
      // So that the workers of the next region have the same numbers again.
      if (worker::current() != &began) worker::current()->donate_strand(began, nowhere);
    }
    observation(const observation&) = delete;
    observation& operator=(const observation&) = delete;
  } const observed(cursor);
  enter_region(region, body);
}

}  // namespace sennit::detail
