// SPDX-License-Identifier: Apache-2.0
#include "region/observed.hpp"

#include "observe/trace_cursor.hpp"
#include "stack/fiber.hpp"
#include "stack/float_environment.hpp"
#include "stack/strand_state.hpp"
#include "trace/told_graph.hpp"
#include "worker/unobserved_part.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/fork/open_group.hpp>
#include <sennit/detail/telling.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/named.hpp>
#include <sennit/region.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

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

namespace {

class hidden_part {
 public:
  explicit hidden_part(told_graph* graph)
      : hidden_(std::make_unique<hidden_region>()), strand_(worker::current()->running()) {
    worker& here = *worker::current();
    // While the strand is observed: a schedule may forbid thieves to take frames of the region.
    here.relocate();
    cursor_ = exchange_cursor(nullptr);
    region_state& region = hidden_->state;
    region.observed_by = &cursor_->by();
    region.hidden = true;
    region.told = graph;
    // Children that its strands spawn in groups from outside belong to no region that ends before them.
    region.implied = true;
    region.outer = strand_.innermost->region;
    capture_float_environment(region);
    scope_ = {&region, load_tail(), strand_.innermost, &strand_, strand_.spawns, __builtin_frame_address(0)};
    enter(here, &scope_);
  }
  ~hidden_part() {
    // Children of groups that were made outside may be left. What is latent of them belongs to the hidden region.
    if (!worker::current()->frames().empty()) worker::current()->relocate();
    enter(*worker::current(), scope_.outer);
    exchange_cursor(cursor_);
    if (has_open_child()) cursor_->keep(std::move(hidden_));
  }
  hidden_part(const hidden_part&) = delete;
  hidden_part& operator=(const hidden_part&) = delete;

 private:
  void enter(worker& w, scope* innermost) noexcept {
    strand_.innermost = innermost;
    w.frames().enter(innermost);
  }
  bool has_open_child() const noexcept {
    for (const open_group* g = strand_.open_groups; g != nullptr; g = g->next_open) {
      if (g->has_child_after(scope_.spawns_before)) return true;
    }
    return false;
  }

  std::unique_ptr<hidden_region> hidden_;
  fiber& strand_;
  trace_cursor* cursor_ = nullptr;
  scope scope_{};
};

}  // namespace

namespace {

// What the strand does meanwhile cannot begin to be heard of in the middle.
class kept_whole {
 public:
  kept_whole() noexcept : strand_(worker::current() != nullptr ? &worker::current()->running() : nullptr) {
    if (strand_ != nullptr) ++strand_->loops;
  }
  ~kept_whole() {
    if (strand_ != nullptr) --strand_->loops;
  }
  kept_whole(const kept_whole&) = delete;
  kept_whole& operator=(const kept_whole&) = delete;

 private:
  fiber* const strand_;
};

}  // namespace

void run_as_one(const char* name, action body) {
  unobserved_part::end_stretch_if_possible();
  trace_cursor* const cursor = current_tls().cursor;
  if (cursor == nullptr || cursor->by().keeps_positions()) {
    const kept_whole whole;
    body();
    return;
  }
  const named_section told(name);
  run_hidden(body);
}

void run_graph(action body, const void* code) {
  trace_cursor* const cursor = current_tls().cursor;
  if (cursor == nullptr || cursor->by().keeps_positions()) {
    body();
    return;
  }
  graph_section told(code != nullptr ? code : body.code());
  run_hidden(body, told.graph());
}

void run_hidden(action body, told_graph* graph) {
  const hidden_part here(graph);
  body();
}

told_graph* claim_told_graph() noexcept {
  worker* const here = worker::current();
  if (here == nullptr) return nullptr;
  region_state& region = *here->running().innermost->region;
  // Only the first one writes: the graphs in its nodes ask, too.
  return region.told != nullptr ? std::exchange(region.told, nullptr) : nullptr;
}

}  // namespace sennit::detail
