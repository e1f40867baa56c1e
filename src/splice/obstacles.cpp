// SPDX-License-Identifier: Apache-2.0
// What is in the way of a call: how it is found, and what is left of it when the call looks again.
// docs/protocols/splices.md has the rules.
#include "splice/splicer.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>
#include <utility>

namespace sennit::detail {

namespace {

// Beyond the room in the call itself.
std::size_t bytes_of(const obstacles& list) noexcept {
  return list.capacity() > obstacles::static_capacity ? list.capacity() * sizeof(obstacle) : 0;
}

}  // namespace

void splicer::release_all(obstacles& found) noexcept {
  for (const obstacle o : found) release(o.call());
  if (bytes_of(found) == 0) [[likely]] {
    found.clear();
  } else {
    found = obstacles();
  }
}

// Counts what the call takes now: it has a stack, or its lists have grown.
void splicer::count_bytes(live_call& c) noexcept {
  const std::size_t now = sizeof(live_call) + c.stack_bytes + bytes_of(c.way.before) +
                          bytes_of(c.way.blocked_by) +
                          (c.parts.index != nullptr ? c.parts.index->bytes() : 0);
  use_bytes(static_cast<std::ptrdiff_t>(now - std::exchange(c.bytes, now)));
}

SENNIT_INLINE void splicer::add(obstacles& to, const effects& fx, obstacle o) {
  live_call& c = o.call();
  if (!mine(c)) {
    if (o.whole() || check(c.all, fx)) to.push_back(o);
    return;
  }
  if (o.parts_before() != 0) {
    if (o.has_parts()) add_parts(to, fx, c, o.parts_before());
    return;
  }
  if (c.is_open() && !o.whole() && !o.only_afterwards()) return add_open(to, fx, c);
  if (c.state == call_state::done) return;
  const effects& left = o.only_afterwards() ? *c.afterwards : c.rest != nullptr ? *c.rest : c.all;
  if (!o.whole() && !check(left, fx)) return;
  to.push_back(o);
  ++c.uses;
}

// Adds what still interferes.
void splicer::add_those(obstacles& to, const effects& fx, const obstacles& from) {
  for (const obstacle o : from) add(to, fx, o);
}

void splicer::add_roots_before(obstacles& to, const effects& fx, std::uint32_t iteration) {
  for (std::uint32_t t = 0; t < iteration; ++t) add(to, fx, {*whole_.roots[t], false});
}

void splicer::add_open(obstacles& to, const effects& fx, live_call& whole) {
  // For a few parts it costs as little to check each part.
  if ((whole.parts.may_begin() || whole.parts.left > 2) && !check(whole.all, fx)) return;
  if (whole.parts.may_begin()) begin_rest(whole);
  add_parts(to, fx, whole, UINT32_MAX);
  if (whole.afterwards != nullptr && check(*whole.afterwards, fx)) {
    to.push_back(obstacle::after_sequence_of(whole));
    ++whole.uses;
  }
}

// Adds the parts at positions before this one.
void splicer::add_parts(obstacles& to, const effects& fx, live_call& whole, std::uint32_t before) {
  const std::size_t others = to.size();
  if (whole.parts.index == nullptr) [[likely]] {
    for (live_call* part = whole.parts.first; part != nullptr && part->index < before; part = part->next) {
      add(to, fx, {*part, false});
    }
  } else {
    find_parts(whole, fx, 0, before, report_.checks, [&](live_call& part) {
      add(to, fx, {part, false});
      return !lists_all_ && to.size() > others + most_listed;
    });
    std::reverse(to.begin() + static_cast<std::ptrdiff_t>(others), to.end());
  }
  if (to.size() <= others + most_listed || lists_all_) [[likely]]
    return;
  for (; to.size() > others; to.pop_back()) release(to.back().call());
  to.push_back(obstacle::parts_of(whole, before));
  ++whole.uses;
}

// Of an obstacle that is made of many parts: what interferes and comes last; null if nothing does any more.
live_call* splicer::last_obstacle(const effects& fx, obstacle o) {
  if (!o.has_parts()) return nullptr;
  obstacles found;
  find_parts(o.call(), fx, 0, o.parts_before(), report_.checks, [&](live_call& part) {
    add(found, fx, {part, false});
    return !found.empty();
  });
  if (found.empty()) return nullptr;
  // The call around it holds it.
  live_call& last = found.back().parts_before() == 0 ? found.back().call() : *last_obstacle(fx, found.back());
  clear(found);
  return &last;
}

// Each root may have all earlier roots as obstacles.
void splicer::find_obstacles_of_roots(row roots) {
  for (std::size_t i = 0; i < roots.size(); ++i) {
    roots[i]->way.seen_from = 0;
    for (std::size_t j = 0; j < i; ++j) add(roots[i]->way.before, roots[i]->all, {*roots[j], false});
  }
}

// Whether nothing is in the way of all that the call does. If something is, c.way.blocked_by then has it.
bool splicer::is_free_as_a_whole(live_call& c) {
  add_those(c.way.blocked_by, c.all, c.way.before);
  return c.way.blocked_by.empty();
}

// An obstacle of a part is an obstacle of the whole, or an earlier part of the whole. `earlier`: the parts
// of earlier iterations at the same place.
void splicer::find_obstacles(live_call& part, row earlier) {
  if (part.way.is_known()) return;
  const live_call& whole = *part.around;
  SENNIT_ASSERT(whole.way.is_known());
  // If a call at the same place has all effects of this call, it probably has a step with these effects,
  // too. Obstacles before that step then need not be looked for (section 7, "Splicing multiple threads").
  part.way.seen_from = whole.way.seen_from;
  const std::size_t far = earlier.size() > nearby ? earlier.size() - nearby : 0;
  for (std::size_t j = earlier.size(); j-- > far;) {
    if (earlier[j]->state == call_state::handed_over || !earlier[j]->all.contains(part.all)) continue;
    part.way.seen_from = std::max(part.way.seen_from, earlier[j]->iteration);
    break;
  }
  for (const obstacle o : whole.way.before) {
    if (o.call().iteration >= part.way.seen_from) add(part.way.before, part.all, o);
  }
  add_parts(part.way.before, part.all, *part.around, part.index);
}

// Whether the step at which the call has arrived has no obstacle. If it has, c.way.before then has all of them.
bool splicer::is_free(live_call& c, row earlier, bool just_found) {
  SENNIT_ASSERT(c.now != nullptr && c.way.blocked_by.empty() && c.way.seen_from <= c.iteration);
  const effects& fx = *c.now;
  // If a step with the same effects has ended, all obstacles before it have ended.
  std::uint32_t from = 0;
  live_call* cover = nullptr;
  const std::size_t far = earlier.size() > nearby ? earlier.size() - nearby : 0;
  for (std::size_t i = earlier.size(); i-- > far && cover == nullptr;) {
    live_call& e = *earlier[i];
    if (e.one_step && e.iteration >= c.way.seen_from && e.all.contains(fx)) cover = &e;
  }
  if (cover != nullptr) {
    from = cover->iteration;
    if (cover->state != call_state::done) add(c.way.blocked_by, fx, {*cover, true});
  } else {
    add_roots_before(c.way.blocked_by, fx, c.way.seen_from);
  }
  const auto counts = [&](obstacle o) { return o.call().iteration >= from && &o.call() != cover; };
  if (just_found && c.last_step) {
    // All calls that have been found are obstacles of the step, and nothing follows.
    c.way.blocked_by.reserve(c.way.blocked_by.size() + c.way.before.size());
    for (const obstacle o : c.way.before) {
      if (counts(o)) {
        c.way.blocked_by.push_back(o);
      } else {
        release(o.call());
      }
    }
    c.way.before.clear();
  } else if (just_found && c.one_step) {
    // The step has all effects of the call, so nothing is compared a second time.
    for (const obstacle o : c.way.before) {
      if (!counts(o)) continue;
      c.way.blocked_by.push_back(o);
      use(o.call());
    }
  } else {
    for (const obstacle o : c.way.before) {
      if (counts(o)) add(c.way.blocked_by, fx, o);
    }
  }
  return c.way.blocked_by.empty();
}

// Removes calls that have ended, and replaces calls by their parts. Without memory, all that had been found
// is still in the list.
void splicer::refine(obstacles& found, const effects& fx) {
  for (std::size_t i = found.size(); i-- > 0;) {
    const obstacle o = found[i];
    live_call& c = o.call();
    // An obstacle still interferes unless it has ended, has known parts, or has become less.
    const bool stays = !mine(c) || o.only_afterwards() ? true
                       : o.parts_before() != 0         ? last_obstacle(fx, o) != nullptr
                       : o.whole()                     ? c.state != call_state::done
                                   : !c.is_open() && c.state != call_state::done && c.rest == nullptr;
    if (stays) continue;
    add(found, fx, o);
    if (o.whole() && !c.one_step) {
      // The cover has been abandoned, and so shows nothing about its obstacles.
      add_roots_before(found, fx, c.iteration);
    }
    found[i] = found.back();
    found.pop_back();
    release(c);
  }
}

void splicer::wait(live_call& c) {
  SENNIT_ASSERT((c.state == call_state::fresh || c.state == call_state::alone) && !c.way.blocked_by.empty());
  c.state = call_state::delayed;
  count_bytes(c);
  ++report_.delayed;
  report_.dependences += c.way.blocked_by.size();
  whole_.delayed.fetch_add(1, std::memory_order_relaxed);
  watch(c);
}

// Adds the call to the list of one of its obstacles. If all obstacles belong to other splicers, adds it to
// the calls that wait until the splicers meet.
void splicer::watch(live_call& c) {
  ++c.uses;
  const bool foreign = std::ranges::any_of(c.way.blocked_by, [&](obstacle o) { return !mine(o.call()); });
  if (foreign) return stranded_.push(c);
  const obstacle o = c.way.blocked_by.back();
  live_call* const last = o.parts_before() != 0 ? last_obstacle(next_effects(c), o) : &o.call();
  // A call that has ended wakes no call.
  SENNIT_ASSERT(last != nullptr && last != &c && last->state != call_state::done);
  if (!mine(*last)) return stranded_.push(c);
  c.next_waiting = last->waiting;
  last->waiting = &c;
}

// Call it when an obstacle has ended, or has become less.
void splicer::try_again(live_call& c) {
  if (!is_void(c)) {
    refine(c.way.blocked_by, next_effects(c));
    if (!c.way.blocked_by.empty()) return watch(c);
  }
  SENNIT_ASSERT(c.state == call_state::delayed && whole_.delayed.load(std::memory_order_relaxed) > 0);
  c.state = call_state::ready;
  whole_.delayed.fetch_sub(1, std::memory_order_relaxed);
  ++c.uses;
  ready_.push(c);
}

}  // namespace sennit::detail
