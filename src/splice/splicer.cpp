// SPDX-License-Identifier: Apache-2.0
#include "splice/splicer.hpp"

#include "policy/splicing.hpp"
#include "splice/call_front.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>
#include <utility>

namespace sennit::detail {

live_call* whole_splice::more_calls() {
  const std::lock_guard guard(lock_);
  if (spare_ != nullptr) return std::exchange(spare_, spare_->next_waiting);
  chunks_.push_back(std::make_unique<live_call[]>(calls_at_once));
  live_call* const first = chunks_.back().get();
  for (std::size_t i = 0; i + 1 < calls_at_once; ++i) first[i].next = &first[i + 1];
  return first;
}

void whole_splice::spare(live_call* calls) noexcept {
  if (calls == nullptr) return;
  const std::lock_guard guard(lock_);
  calls->next_waiting = std::exchange(spare_, calls);
}

live_call& splicer::make(live_call* around) {
  if (free_ == nullptr) free_ = whole_.more_calls();
  live_call& c = *free_;
  free_ = c.next;
  c.owner = this;
  c.around = around;
  c.next = c.previous = nullptr;
  c.uses = 1;
  c.bytes = sizeof(live_call);
  use_bytes(sizeof(live_call));
  c.state = call_state::fresh;
  if (around != nullptr) {
    c.iteration = around->iteration;
    c.depth = around->depth + 1;
  }
  return c;
}

void splicer::recycle(live_call& c) noexcept {
  // No call waits for it, and it waits for no call.
  SENNIT_ASSERT(mine(c) && c.waiting == nullptr && c.way.before.empty() && c.way.blocked_by.empty());
  c.set_effects([] { return effects(); });
  c.kind = nullptr;
  c.rest = c.now = c.afterwards = nullptr;
  c.failure = nullptr;
  c.one_step = c.last_step = false;
  c.at.reset();
  c.waiting = nullptr;
  c.parts = parts_of_call();
  use_bytes(-static_cast<std::ptrdiff_t>(c.bytes));
  c.bytes = 0;
  c.switches = c.stack_bytes = 0;
  c.depth = 0;
  c.way.seen_from = way_of_call::nothing;
  c.next = free_;
  free_ = &c;
}

void splicer::run() {
  const row roots = whole_.roots;
  whole_.stop.attempt([&] {
    find_obstacles_of_roots(roots);
    walk(roots);
    settle();
  });
  if (!whole_.stop.is_set()) [[likely]]
    return;
  // Roots that were forked and then dropped by the region have not been walked.
  for (live_call* const root : roots) abandon(*root);
}

// Calls that use some data in common are interleaved. Groups of calls without common data run one after the
// other (section 5, "Locality checks").
void splicer::walk(row calls) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    bool shares = false;
    for (std::size_t j = i; j-- > begin && !shares;) shares = calls[j]->all.overlaps(calls[i]->all);
    if (shares) continue;
    walk_together(calls.subspan(begin, i - begin));
    begin = i;
  }
  walk_together(calls.subspan(begin));
}

void splicer::walk_together(row calls) {
  SENNIT_ASSERT(std::ranges::is_sorted(calls, {}, [](const live_call* c) { return c->iteration; }));
  row_of active(calls.begin(), calls.end());
  row_of opened;
  const bool crowded =
      policy::is_crowded(whole_.delayed.load(std::memory_order_relaxed), whole_.how.most_delayed);
  // What waits at the end of a front waits for itself, and not as a whole.
  if (!crowded && makes_a_front(calls)) call_front(*this, calls).walk();
  while (!active.empty()) {
    for (std::size_t i = 0; i < active.size(); ++i) {
      live_call& c = *active[i];
      if (c.over()) continue;
      if (c.is_open() && c.parts.left > 0) {
        // A front has come further. The parts need what is in the way of the call.
        if (!c.way.is_known()) find_obstacles(c, before(c, all(active)));
        continue;
      }
      // Too many calls are delayed. A call that is not free then waits as a whole, which takes no further
      // memory.
      if (crowded && i != 0 && c.state == call_state::fresh && !is_void(c)) {
        if (!c.way.is_known()) find_obstacles(c, before(c, all(active)));
        if (!is_free_as_a_whole(c)) {
          wait(c);
          continue;
        }
      }
      go_on(c, all(active));
    }
    for (bool sliced = true; sliced;) {
      sliced = false;
      for (live_call* const c : active) {
        if (c->state != call_state::fresh) continue;
        go_on(*c, all(active));
        sliced = true;
      }
    }
    opened.clear();
    for (live_call* const c : active) {
      if (c->is_open() && !c->has_left_row()) opened.push_back(c);
    }
    if (opened.empty()) return;
    // Calls that waited for a whole call may now wait for less.
    for (live_call* const c : opened) wake(*c);
    walk_all_parts(all(opened));
    active.clear();
    for (live_call* const c : opened) {
      if (c->parts.left == 0) {
        active.push_back(c);
      } else if (c->is_open()) {
        c->state = call_state::open_alone;
      }
    }
  }
}

// Walks the parts of calls that have opened.
void splicer::walk_all_parts(row whole) {
  std::uint32_t end = 0;
  bool more = false;
  for (live_call* const c : whole) {
    // Another strand may only take calls that have begun.
    if (c->parts.may_begin() && whole_.workers > 1) begin_rest(*c);
    more = more || c->parts.may_begin();
    end = std::max(end, c->parts.begun);
  }
  if (!more) return walk_parts(whole, 0, end);
  // If the last part of a call that is walked alone has ended, the call goes on at once.
  const std::uint32_t sequence = whole.front()->parts.sequence;
  for (std::uint32_t i = 0; whole.front()->parts.sequence == sequence; ++i) {
    if (!whole_.stop.keep_on()) return;
    for (live_call* const c : whole) {
      if (c->parts.may_begin() && c->parts.begun <= i) begin_part(*c);
    }
    if (!walk_column(whole, i)) return;
  }
}

// Walks the parts at positions [from, to) of the calls.
void splicer::walk_parts(row whole, std::uint32_t from, std::uint32_t to) {
  if (to - from < 2) {
    if (from < to) walk_column(whole, from);
    return;
  }
  if (!whole_.stop.keep_on()) return;
  const std::uint32_t middle = from + (to - from) / 2;
  if (may_fork(whole, from, middle, to)) return fork(whole, from, middle, to);
  walk_parts(whole, from, middle);
  walk_parts(whole, middle, to);
}

// Returns false if no call has, or has had, a part at this position.
bool splicer::walk_column(row whole, std::uint32_t index) {
  row_of column;
  bool any = false;
  for (const live_call* const c : whole) {
    any = any || index < c->parts.begun;
    live_call* const part = part_at(*c, index);
    if (part == nullptr || part->over()) continue;
    use(*part);
    column.push_back(part);
  }
  if (!column.empty()) walk(all(column));
  for (live_call* const part : column) release(*part);
  return any;
}

// Continues a call until it has to wait or has parts. If there are other calls in its row, also until it has
// done one slice of a step.
void splicer::go_on(live_call& c, row peers) {
  bool checked = c.state == call_state::ready && c.at;
  bool found = false;
  const bool in_row = !c.has_left_row();
  const call_state going = in_row ? call_state::fresh : call_state::alone;
  c.state = going;
  for (;;) {
    if (is_void(c)) [[unlikely]] {
      abandon(c);
      return settle();
    }
    if (!c.way.is_known()) {
      find_obstacles(c, before(c, peers));
      found = true;
    }
    if (!c.at) {
      c.at = c.kind->advance(c);
      // The function has caught what the parts threw.
      if (c.at != arrival::end || !c.failure) forgive(c);
    }
    switch (const arrival now = *c.at) {
      case arrival::step:
      case arrival::slice:
        if (!checked && !is_free(c, before(c, peers), found)) return wait(c);
        checked = found = false;
        c.at.reset();
        do_step(c);
        if (now == arrival::slice) {
          wake(c);
          if (!peers.empty()) return settle();
        }
        settle();
        break;
      case arrival::sequence: {
        c.at.reset();
        open(c);
        if (in_row) return;
        if (c.parts.left == 0) {
          c.state = going;
          break;
        }
        live_call* const alone[] = {&c};
        wake(c);
        walk_all_parts(alone);
        return settle();
      }
      case arrival::end: finish(c); return settle();
    }
  }
}

void splicer::do_step(live_call& c) {
  SENNIT_ASSERT(mine(c) && c.way.blocked_by.empty() && c.parts.first == nullptr);
  ++report_.steps;
  // Relaxed: see may_fork().
  if (c.depth > whole_.depth_of_steps.load(std::memory_order_relaxed)) {
    whole_.depth_of_steps.store(c.depth, std::memory_order_relaxed);
  }
#if SENNIT_EXCEPTIONS
  try {
    c.kind->run(c);
    if (log_ != nullptr) log_->note(c);
  } catch (...) {
    c.failure = std::current_exception();
  }
#else
  c.kind->run(c);
  if (log_ != nullptr) log_->note(c);
#endif
}

void splicer::wake_waiting(live_call& c) {
  for (live_call* w = std::exchange(c.waiting, nullptr); w != nullptr;) {
    live_call& waiter = *std::exchange(w, w->next_waiting);
    if (waiter.state == call_state::delayed) try_again(waiter);
    release(waiter);
  }
}

// The surrounding call has a failure. Calls that wait for this call, or for failed parts of it, may now be
// among those that do not continue.
void splicer::wake_failed(live_call& c) {
  wake(c);
  for (live_call* part = c.parts.first; part != nullptr; part = part->next) wake_failed(*part);
}

// The failure has been caught, or no call is left for which it matters: the failed parts are no obstacles
// any more.
void splicer::forgive_parts(live_call& c) {
  c.parts.index.reset();
  while (c.parts.first != nullptr) {
    live_call& part = *std::exchange(c.parts.first, c.parts.first->next);
    part.state = call_state::done;
    forgive(part);
    wake(part);
    release(part);
  }
}

// Of several failures, keeps the one at which serial execution would have arrived first.
void splicer::fail_part(live_call& around, const std::exception_ptr& failure, std::uint32_t part) noexcept {
  failing_ = true;
  if (around.failure && around.parts.failed < part) return;
  around.failure = failure;
  around.parts.failed = part;
}

bool splicer::comes_after_failure(const live_call& c) noexcept {
  for (const live_call* part = &c; part->around != nullptr; part = part->around) {
    if (part->around->failure && part->around->parts.failed < part->index) return true;
  }
  return false;
}

void splicer::finish(live_call& c) {
  report_.switches += c.switches;
  c.rest = nullptr;
  clear(c.way.before);
  clear(c.way.blocked_by);
  live_call* const around = c.around;
  if (around == nullptr) {
    c.state = call_state::done;
    if (c.failure) whole_.failure.note(c.iteration, 0, c.failure);
    forgive(c);
    return wake(c);
  }
  SENNIT_ASSERT(around->parts.left > 0);
  const bool failed = c.failure || c.state == call_state::failed;
  c.state = failed ? call_state::failed : call_state::done;
  if (c.failure) fail_part(*around, c.failure, c.index);
  if (!failed) remove_part(c);
  end_part(*around);
  // Last, because it may throw.
  if (failed) return wake_failed(c);
  wake(c);
  release(c);
}

// Continues calls that have become ready at once, each as far as possible (section 5, "Releasing
// dependences").
void splicer::continue_ready() {
  settling_ = true;
  while (live_call* const c = ready_.pop()) {
    if (!c->over()) go_on(*c, {});
    release(*c);
  }
  settling_ = false;
}

// Ends a call that will not continue.
void splicer::abandon(live_call& c) {
  if (c.over()) return;
  for (live_call* part = c.parts.first; part != nullptr;) abandon(*std::exchange(part, part->next));
  if (c.state == call_state::delayed) whole_.delayed.fetch_sub(1, std::memory_order_relaxed);
  c.parts.end = c.parts.begun;
  c.kind->drop(c);
  c.failure = nullptr;
  c.one_step = false;  // it covers no call
  c.state = call_state::failed;
  finish(c);
}

}  // namespace sennit::detail
