// SPDX-License-Identifier: Apache-2.0
#include "splice/call_front.hpp"

#include "splice/call_stack.hpp"
#include "splice/checking.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/detail/effects_access.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace sennit::detail {

namespace {

bool begins_with_slices(spliced_call& c) noexcept {
  const call_stack* const s = stack_of(c);
  return s != nullptr && s->said() == call_stack::saying::slices;
}

}  // namespace

// Whether the row is to be walked as a wavefront. If so, the obstacles of all calls have been found.
bool splicer::makes_a_front(row calls) {
  // A log has only trees.
  if (calls.size() < 2 || log_ != nullptr || failing_) return false;
  if (!std::ranges::all_of(calls, [](const live_call* c) { return call_front::suits(*c); })) return false;
  // The width of rows is estimated from the depth of steps so far. Relaxed: an estimate.
  const std::uint32_t deepest = whole_.depth_of_steps.load(std::memory_order_relaxed);
  const std::uint32_t depth = calls.front()->depth;
  const bool sliced = begins_with_slices(*calls.front());
  if (sliced) {
    // Many steps, of which no thief can take any.
  } else if (deepest == 0) {
    if (whole_.workers > 1) return false;
  } else {
    if (deepest < depth + 2) return false;
    // What other workers may take is left to the other walk, which forks.
    const std::uint64_t pieces = 8 * whole_.workers;
    const bool narrow = deepest - depth < 63 && (std::uint64_t{1} << (deepest - depth)) < 8 * calls.size();
    if (whole_.workers > 1 && !narrow && std::uint64_t{1} << std::min(depth, 62u) < pieces) return false;
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (is_void(*calls[i])) return false;
    if (!calls[i]->way.is_known()) find_obstacles(*calls[i], calls.first(i));
  }
  return true;
}

bool splicer::call_front::suits(const live_call& c) {
  return c.state == call_state::fresh && effects_access::size(c.all) <= hulls::most &&
         effects_access::all_contiguous(c.all);
}

splicer::call_front::call_front(splicer& in, row calls)
    : in_(in), calls_(calls), depth_(calls.front()->depth), lines_(calls.size()), group_(calls.size()) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    line& l = lines_[i];
    l.todo.reserve(usual_nodes);
    l.todo.emplace_back(*calls[i], 0, 0);
    l.add_up();
    find_outside(i);
  }
  in_.use_bytes(static_cast<std::ptrdiff_t>(lines_.size() * (sizeof(line) + usual_nodes * sizeof(node))));
}

splicer::call_front::~call_front() {
  for (line& l : lines_) in_.clear(l.outside);
  in_.use_bytes(-static_cast<std::ptrdiff_t>(lines_.size() * (sizeof(line) + usual_nodes * sizeof(node))));
}

// Whether the call is one of the row, or is in one.
bool splicer::call_front::is_in_row(const live_call& c) const noexcept {
  if (!in_.mine(c)) return false;
  const live_call* at = &c;
  while (at->depth > depth_) at = at->around;
  return std::ranges::find(calls_, at) != calls_.end();
}

void splicer::call_front::find_outside(std::size_t i) {
  live_call& c = *calls_[i];
  line& l = lines_[i];
  const auto add = [&](obstacle o) {
    if (is_in_row(o.call())) return;
    l.outside.push_back(o);
    in_.use(o.call());
  };
  for (const obstacle o : c.way.before) add(o);
  if (c.way.seen_from != 0) {
    // The call's list has nothing of the iterations before that one, whose call at the same place stands for them.
    std::size_t j = 0;
    while (j < i && calls_[j]->iteration != c.way.seen_from) ++j;
    if (j < i && calls_[j]->all.contains(c.all)) {
      for (const obstacle o : lines_[j].outside) add(o);
    } else if (c.way.seen_from != c.iteration) {
      obstacles found;
      in_.add_roots_before(found, c.all, c.way.seen_from);
      for (const obstacle o : found) add(o);
      in_.clear(found);
    }
  }
  sum_outside(l);
}

void splicer::call_front::sum_outside(line& l) {
  l.outside_hulls = hulls();
  for (const obstacle o : l.outside) l.outside_hulls += hulls(o.call().all);
  l.has_outside = !l.outside.empty();
}

// Whether something that is not in the row is in the way of the step at which the line has arrived.
bool splicer::call_front::is_blocked_outside(std::size_t i) {
  line& l = lines_[i];
  const std::uint64_t before = in_.report_.checks++;
  if (!l.outside_hulls.interferes(l.now)) return false;
  // Some of it may have ended since.
  in_.refine(l.outside, calls_[i]->all);
  sum_outside(l);
  if (!l.outside_hulls.interferes(l.now)) return false;
  obstacles found;
  in_.add_those(found, *l.todo.back().call->now, l.outside);
  bool blocked = !found.empty();
  in_.clear(found);
  // To look through so much at each step would cost more than the order of the front gains.
  if (in_.report_.checks - before > 4 * lines_.size()) blocked = stop_ = true;
  return blocked;
}

void splicer::call_front::walk() {
  if (begins_in_one_direction() && !stop_) {
    choose_slices();
    walk_lines();
  }
  hand_over();
}

// Leaves the calls where the other walk can go on with them.
void splicer::call_front::hand_over() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    line& l = lines_[i];
    if (l.todo.empty()) continue;
    live_call& last = *l.todo.back().call;
    if (last.is_open() && last.parts.left == 0) last.state = call_state::fresh;
    for (const node& n : l.todo) {
      if (n.call->is_open()) n.call->state = call_state::handed_over;
    }
    // Calls that would have been covers may have ended: from now on the list has all that is in the way.
    live_call& c = *calls_[i];
    in_.clear(c.way.before);
    std::swap(c.way.before, l.outside);
    c.way.seen_from = 0;
    for (std::size_t j = 0; j < i; ++j) {
      // A call that has failed stays in the way.
      if (calls_[j]->state == call_state::done) continue;
      c.way.before.emplace_back(*calls_[j], false);
      in_.use(*calls_[j]);
    }
  }
}

// Continues the calls of the line up to their next step. Returns false if nothing is left of them, or if the last one
// needs the other walk.
bool splicer::call_front::come_to_step(line& l) {
  while (!l.todo.empty()) {
    node& n = l.todo.back();
    live_call& c = *n.call;
    if (&c == l.arrived) return true;
    if (c.at) {
      // Where an earlier front has left it.
      return c.at == arrival::step ? arrive_at_step(l) : arrive_at_slice(l);
    }
    if (in_.is_void(c)) [[unlikely]] {
      stop_ = true;
      return false;
    }
    SENNIT_ASSERT(in_.mine(c) && (c.state == call_state::fresh || c.parts.left == 0));
    c.state = call_state::fresh;
    const arrival now = c.kind->advance(c);
    if (now != arrival::end || !c.failure) in_.forgive(c);
    switch (now) {
      case arrival::step: c.at = now; return arrive_at_step(l);
      case arrival::slice: c.at = now; return arrive_at_slice(l);
      case arrival::sequence:
        open(l);
        if (stop_) return false;
        break;
      case arrival::end: {
        const bool failed = c.failure != nullptr;
        l.todo.pop_back();
        in_.finish(c);
        in_.settle();
        if (!failed) break;
        stop_ = true;
        return false;
      }
    }
  }
  return false;
}

bool splicer::call_front::arrive_at_step(line& l) {
  const node& n = l.todo.back();
  live_call& c = *n.call;
  if (c.now == &c.all) {
    l.now = n.own;
    l.arrived = &c;
    return true;
  }
  if (effects_access::size(*c.now) > hulls::most || !effects_access::all_contiguous(*c.now)) {
    stop_ = true;
    return false;
  }
  l.now = hulls(*c.now);
  l.arrived = &c;
  return true;
}

// The call has arrived at a sequence: its parts follow it in the line.
void splicer::call_front::open(line& l) {
  live_call& c = *l.todo.back().call;
  in_.open(c);
  if (c.waiting != nullptr) {
    in_.wake(c);
    in_.settle();
  }
  if (c.parts.may_begin()) {
    // So many parts that they should not all begin now.
    stop_ = true;
    return;
  }
  node& whole = l.todo.back();
  whole.own = c.afterwards != nullptr ? hulls(*c.afterwards) : hulls();
  l.add_up();
  const std::uint64_t key = whole.key;
  const std::uint32_t depth = whole.depth + std::bit_width(std::max(c.parts.begun, std::uint32_t{2}) - 1);
  for (live_call* part = c.parts.last; part != nullptr; part = part->previous) {
    l.todo.emplace_back(*part, key + part->index * front_node::span(depth), depth);
    l.add_up();
  }
}

std::size_t splicer::call_front::begin_round() {
  if (stop_ || !in_.whole_.stop.keep_on()) return 0;
  if (tries_sizes_) note_round();
  std::size_t first = 0;
  while (first < lines_.size() && lines_[first].is_over()) ++first;
  group_end_ = (first / group_ + 1) * group_;
  return lines_.size();
}

bool splicer::call_front::may_run(std::size_t i) {
  line& l = lines_[i];
  if (in_.is_void(*l.next().call)) [[unlikely]] {
    stop_ = true;
    return false;
  }
  if (l.has_outside && is_blocked_outside(i)) [[unlikely]] {
    // What is in the way may go on when an earlier line has come further. If it does not, the other walk notes that the step
    // waits.
    if (++l.blocked == most_blocked) stop_ = true;
    return false;
  }
  l.blocked = 0;
  return true;
}

void splicer::call_front::run_step(std::size_t i) {
  line& l = lines_[i];
  node& n = l.next();
  live_call& c = *n.call;
  l.ran.add(n.number(), n.place(), l.now);
  const bool sliced = c.at == arrival::slice;
  if (sliced) ++n.slice;
  n.has_waited = false;
  c.at.reset();
  l.arrived = nullptr;
  in_.do_step(c);
  // What has ended is in nobody's way.
  if (!come_to_step(l) || !sliced || l.arrived != &c) return;
  in_.wake(c);
  in_.settle();
}

}  // namespace sennit::detail
