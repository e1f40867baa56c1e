// SPDX-License-Identifier: Apache-2.0
// Children of groups under a trace, and the waits for them.
#include "trace/traced_strand.hpp"
#include "trace/tracer.hpp"

#include <utility>

namespace sennit::detail {

namespace {

using kind = traced_body::kind;

}  // namespace

void tracer::spawned(traced_body& child, const whereabouts& where) noexcept {
  child.in = body_of(where.plan);
  child.first = where.position;
  child.last = group_of(where.plan);
  child.expected_ns = durations_.mean_ns(child.last, depth_of_child(child.depth));
  child.told = child.expected_ns >= resolution_ns;
  // What is told of one that is not itself told lies in what the strand is in.
  if (!child.told && child.outer != nullptr) child.id = child.outer->id;
}

void tracer::spawned_unseen(whereabouts& where, const void* group) noexcept {
  where = {.position = now(), .plan = spawned_in(0, group), .within = true};
}

void tracer::child_begins(strand& of, trace_cursor& cursor, whereabouts& where, const void* group) noexcept {
  const void* const plan = spawned_in(of.id(), group);
  where.position = 0;
  cursor.level().plan = nullptr;
  const std::uint64_t expected_ns = durations_.mean_ns(
      group_of(plan), depth_of_child(of.innermost != nullptr ? of.innermost->depth + 1 : 0));
  if (expected_ns >= resolution_ns) of.long_children = true;
  // Children of children may run elsewhere than here: of those, nothing is known yet.
  if (expected_ns < resolution_ns) was_brief(of);
  where.position = now();
  cursor.level().plan = plan;
  if (of.innermost != nullptr) of.innermost->holds_told = true;
}

void tracer::child_ends(strand& of, traced_body& child) noexcept {
  leave(of, child);
  const std::uint64_t end = now();
  const std::uint64_t took = end - child.begun_ns;
  durations_.took(child.last, depth_of_child(child.depth), took);
  if (child.holds_told && !child.told) {
    if (of.innermost != nullptr) of.innermost->holds_told = true;
  } else if (is_worth_telling(child, took)) {
    if (!child.told) child.id = next_id();
    tell_in(of, child, end);
    was_told(of);
  } else {
    was_brief(of);
  }
  of.give_back(child);
}

void tracer::wait_begins(trace_cursor& cursor, const void* group) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
  settle(*of);
  ++of->wait_depth;
  traced_body* const wait = of->take();
  if (wait == nullptr) return;
  wait->what = kind::wait;
  wait->in = of->id();
  wait->first = of->wait_depth;
  wait->last = group_number(group);
  wait->begun_ns = now();
  wait->outer = std::exchange(of->waits, wait);
}

void tracer::regrouped(trace_cursor& cursor, const whereabouts&, pause) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
  settle(*of);
  if (of->wait_depth == 0) return;
  traced_body* const wait = of->waits;
  const bool told = wait != nullptr && wait->first == of->wait_depth;
  --of->wait_depth;
  if (!told) return;
  of->waits = wait->outer;
  const std::uint64_t end = now();
  // Of a wait for brief children that is itself brief, nobody learns anything.
  if (!std::exchange(of->long_children, false) && end - wait->begun_ns < least_ns) {
    of->give_back(*wait);
    was_brief(*of);
    return;
  }
  was_told(*of);
  wait->id = next_id();
  tell_in(*of, *wait, end);
  of->give_back(*wait);
}

}  // namespace sennit::detail
