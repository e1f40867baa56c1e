#include "splice/call_front.hpp"

#include "splice/call_stack.hpp"
#include "splice/checking.hpp"

#include <sennit/detail/assert.hpp>

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
    if (!calls[i]->found) find_obstacles(*calls[i], calls.first(i));
  }
  return true;
}

bool splicer::call_front::suits(const live_call& c) {
  return c.state == call_state::fresh && !c.left && effects_access::size(c.all) <= hulls::most &&
         effects_access::all_contiguous(c.all);
}

splicer::call_front::call_front(splicer& in, row calls)
    : in_(in), calls_(calls), depth_(calls.front()->depth), lines_(calls.size()) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    line& l = lines_[i];
    l.todo.reserve(24);
    node& n = l.todo.emplace_back(*calls[i], 0, 0);
    n.rest = n.own;
    find_outside(i);
  }
  in_.use_bytes(static_cast<std::ptrdiff_t>(lines_.size() * (sizeof(line) + 24 * sizeof(node))));
}

splicer::call_front::~call_front() {
  for (line& l : lines_) in_.clear(l.outside);
  in_.use_bytes(-static_cast<std::ptrdiff_t>(lines_.size() * (sizeof(line) + 24 * sizeof(node))));
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
  for (const obstacle o : c.before) add(o);
  if (c.seen_from != 0) {
    // The call's list has nothing of the iterations before that one, whose call at the same place stands for them.
    std::size_t j = 0;
    while (j < i && calls_[j]->iteration != c.seen_from) ++j;
    if (j < i && calls_[j]->all.contains(c.all)) {
      for (const obstacle o : lines_[j].outside) add(o);
    } else if (c.seen_from != c.iteration) {
      obstacles found;
      in_.add_roots_before(found, c.all, c.seen_from);
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
  ++in_.report_.checks;
  if (!l.outside_hulls.interferes(l.now)) return false;
  // Some of it may have ended since.
  in_.refine(l.outside, calls_[i]->all);
  sum_outside(l);
  if (!l.outside_hulls.interferes(l.now)) return false;
  obstacles found;
  in_.add_those(found, *l.todo.back().call->now, l.outside);
  const bool blocked = !found.empty();
  in_.clear(found);
  return blocked;
}

// Returns false if a call begins with what an earlier one ends with: each call would wait for all of the one before.
bool splicer::call_front::begins_in_one_direction() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    line& l = lines_[i];
    if (!come_to_step(l)) {
      if (stop_) return false;
      continue;
    }
    for (std::size_t c = i - std::min<std::size_t>(i, nearby); c < i; ++c) {
      const std::vector<node>& others = lines_[c].todo;
      if (others.size() > 2 && others[1].own.interferes(l.now)) return false;
    }
  }
  choose_slices();
  return true;
}

// The first line that can do so runs a step, and the other lines run up to the place of that step.
void splicer::call_front::walk() {
  if (!begins_in_one_direction()) return hand_over();
  std::size_t first = 0;
  for (bool any = true; any && !stop_ && in_.whole_.stop.keep_on();) {
    any = false;
    while (first < lines_.size() && lines_[first].todo.empty()) ++first;
    std::uint64_t front = 0;
    for (std::size_t i = first; i < lines_.size() && !stop_; ++i) {
      const std::vector<node>& todo = lines_[i].todo;
      if (any) {
        while (!stop_ && !todo.empty() && todo.back().place() < front && run_next(i)) {
        }
      } else if (run_next(i)) {
        any = true;
        front = todo.empty() ? no_key : todo.back().place();
      }
    }
  }
  hand_over();
}

// Leaves the calls where the other walk can go on with them.
void splicer::call_front::hand_over() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    line& l = lines_[i];
    if (l.todo.empty()) continue;
    live_call& last = *l.todo.back().call;
    if (last.state == call_state::open && last.parts_left == 0) last.state = call_state::fresh;
    for (const node& n : l.todo) n.call->in_front = n.call->in_front || n.call->state == call_state::open;
    // Calls that would have been covers may have ended: from now on the list has all that is in the way.
    live_call& c = *calls_[i];
    in_.clear(c.before);
    std::swap(c.before, l.outside);
    c.seen_from = 0;
    for (std::size_t j = 0; j < i; ++j) {
      // A call that has failed stays in the way.
      if (calls_[j]->state == call_state::done) continue;
      c.before.emplace_back(*calls_[j], false);
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
    if (c.arrived) {
      // Where an earlier front has left it.
      return c.at == arrival::step ? arrive_at_step(l) : arrive_at_slice(l);
    }
    if (in_.is_void(c)) [[unlikely]] {
      stop_ = true;
      return false;
    }
    SENNIT_ASSERT(in_.mine(c) && (c.state == call_state::fresh || c.parts_left == 0));
    c.state = call_state::fresh;
    c.at = c.kind->advance(c);
    if (c.at != arrival::end || !c.failure) in_.forgive(c);
    switch (c.at) {
      case arrival::step: return arrive_at_step(l);
      case arrival::slice: return arrive_at_slice(l);
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
  c.arrived = true;
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
  c.arrived = false;
  in_.open(c);
  if (c.waiting != nullptr) {
    in_.wake(c);
    in_.settle();
  }
  if (c.more_parts) {
    // So many parts that they should not all begin now.
    stop_ = true;
    return;
  }
  node& whole = l.todo.back();
  whole.own = c.afterwards != nullptr ? hulls(*c.afterwards) : hulls();
  whole.rest = whole.own;
  if (l.todo.size() > 1) whole.rest += (&whole)[-1].rest;
  const std::uint64_t key = whole.key;
  const std::uint32_t depth = whole.depth + std::bit_width(std::max(c.parts_begun, std::uint32_t{2}) - 1);
  for (live_call* part = c.last_part; part != nullptr; part = part->previous) {
    node& n = l.todo.emplace_back(*part, key + part->index * span(depth), depth);
    n.rest = n.own;
    n.rest += (&n)[-1].rest;
  }
}

// The first line that has to be checked for obstacles of a step. An earlier line may have run a step with the same
// effects; then lines before that one have no obstacle (section 7, "Splicing multiple threads").
std::size_t splicer::call_front::find_cover(std::size_t i) {
  line& l = lines_[i];
  const node& step = l.todo.back();
  const std::size_t place = place_of(step);
  const auto covers = [&](std::uint32_t back) {
    const line& other = lines_[i - back];
    return other.ran_keys[place] == step.place() && other.ran[place].contains(l.now);
  };
  // Sometimes a nearer cover is looked for.
  if (l.cover != 0 && place != 0 && covers(l.cover)) [[likely]]
    return i - l.cover;
  for (std::uint32_t back = 1; back <= std::min<std::size_t>(i, nearby); ++back) {
    if (!covers(back)) continue;
    l.cover = back;
    return i - back;
  }
  return 0;
}

// Returns false if the line has no next step, or if that step has to wait.
bool splicer::call_front::run_next(std::size_t i) {
  line& l = lines_[i];
  if (!come_to_step(l)) return false;
  node& n = l.todo.back();
  const auto is_ahead = [&](std::size_t c) {
    ++in_.report_.checks;
    const std::vector<node>& todo = lines_[c].todo;
    return !todo.empty() && todo.back().rest.interferes(l.now);
  };
  // The preceding call is the most frequent obstacle.
  if (i > 0 && is_ahead(i - 1)) return note_wait(n);
  const std::size_t from = find_cover(i);
  for (std::size_t c = i; c-- > from + 1;) {
    if (is_ahead(c - 1)) return note_wait(n);
  }
  if (in_.is_void(*n.call) || (l.has_outside && is_blocked_outside(i))) [[unlikely]] {
    stop_ = true;
    return false;
  }
  run_step(l);
  // What has ended is in nobody's way.
  come_to_step(l);
  return true;
}

bool splicer::call_front::note_wait(node& n) noexcept {
  if (!std::exchange(n.has_waited, true)) {
    ++in_.report_.delayed;
    ++in_.report_.dependences;
  }
  return false;
}

void splicer::call_front::run_step(line& l) {
  node& n = l.todo.back();
  live_call& c = *n.call;
  const std::size_t place = place_of(n);
  hulls ran = l.now;
  if (l.ran_keys[l.last_ran] != no_key) ran.extend_by(l.ran[l.last_ran]);
  l.ran[place] = ran;
  l.ran_keys[place] = n.place();
  l.last_ran = place;
  if (c.at == arrival::slice) ++n.slice;
  n.has_waited = false;
  c.arrived = false;
  l.arrived = nullptr;
  in_.do_step(c);
}

}  // namespace sennit::detail
