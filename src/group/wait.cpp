// SPDX-License-Identifier: Apache-2.0
// The end of a group's children: what they leave, and how the strand waits for them.
#include "fork/answer.hpp"
#include "fork/observation.hpp"
#include "fork/views.hpp"
#include "group/pushed_children.hpp"
#include "group/unqueued_children.hpp"
#include "stack/strand_state.hpp"
#include "worker/runtime_core.hpp"
#include "worker/unobserved_part.hpp"
#include "worker/worker.hpp"

#include <sennit/blocking.hpp>
#include <sennit/detail/assert.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/misuse.hpp>
#include <sennit/join.hpp>

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace sennit::detail {

void group_state::check_waiter(worker* here) const {
  fiber* const strand = strand_.load(std::memory_order_relaxed);
  fiber* const mine = here != nullptr ? &here->running() : nullptr;
  if (strand != nullptr && strand != mine) {
    misuse("a task_group is waited for, or ended, by another strand than the one whose children are open in "
           "it: call its wait() where it was made.");
  }
  // Its children run on the group's strand within its wait() only, which then finds that it is waited for already.
  if (strand != nullptr && further_ == when_many_wait::queue) return;
  // Groups in groups may be a hundred thousand levels deep: nobody looks at all of them for each wait. To look at 32 took a tenth of
  // the time of a tree search whose nodes are groups.
  constexpr unsigned most_levels = SENNIT_CHECKED ? 256 : 8;
  unsigned level = 0;
  for (child_underway* c = mine != nullptr ? mine->innermost_child : nullptr;
       c != nullptr && level < most_levels; c = c->outer, ++level) {
    if (c->group == this) {
      misuse("a child of a task_group waits for the group, and so for itself: only the strand that made the "
             "group calls its wait().");
    }
  }
}

void group_state::wait() {
  worker* const here = worker::current();
  // First: a child may be taken before its spawn has opened the group.
  check_waiter(here);
  if (!open_.load(std::memory_order_relaxed)) return;
  if (waited_for_.exchange(true, std::memory_order_relaxed))
    misuse("two strands wait for a task_group at the same time.");
  const bool anchored = on_top();
  // ORD[D36] acquire: what a child that runs elsewhere has made meanwhile; pairs with the release in
  // others().
  unqueued_children* const all = others_.load(std::memory_order_acquire);
  // They come after those of all children.
  view* const latest = latest_of(here, all);
  auto inside = [&] { collect(latest); };
  // Nobody knows how long a runtime other than the default one lives. There, and without the means for a
  // region, children that nobody has taken run here, on the thread's own stack.
  const bool in_region =
      here == nullptr && all->in_default() && attempt<std::exception>([&] { run_region(nullptr, inside); });
  if (!in_region) inside();
  if (anchored) anchor(*worker::current());
  report();
}

// What the strand, or the thread, has added since it spawned the last child.
view* group_state::latest_of(worker* here, unqueued_children* all) noexcept {
  if (all == nullptr) return exchange_views(nullptr);
  all->recall();
  return here != nullptr ? gather(here->running(), 0) : exchange_views(nullptr);
}

// What was spawned unqueued may be kept by a child of another group, which comes after it. `since`: by one that the
// strand has spawned later than that.
view* group_state::gather(const fiber& strand, std::uint64_t since) noexcept {
  const unqueued_children& all = *others_.load(std::memory_order_relaxed);
  view* gathered = exchange_views(nullptr);
  if (strand.spawns == since) return gathered;
  for (open_group* g = strand.open_groups; g != nullptr; g = g->next_open) {
    if (g == this) continue;
    for (group_member* c = static_cast<group_state*>(g)->newest_child(); c != nullptr && c->order > since;
         c = pushed_before(*c)) {
      for (view** const list : {&c->views_, &c->before_}) {
        while (spawn_view* const found = all.extract(*list).release()) {
          found->next = nullptr;
          found->comes_first();
          gathered = chain_views(found, gathered);
        }
      }
    }
  }
  return gathered;
}

void group_state::collect(view* latest) noexcept {
  worker* const seat = worker::current();
  if (newest != nullptr && seat != nullptr) unobserved_part::end_stretch_after(first_order_);
  trace_cursor* const cursor = seat != nullptr ? current_tls().cursor : nullptr;
  if (cursor != nullptr) cursor->by().wait_begins(*cursor, this);
  // Other frames lie on top of the children in the deque: have them moved to where children can be taken
  // singly.
  if (newest != nullptr && !on_top()) seat->relocate();
  if (seat != nullptr) admit_outside(*seat);
  group_member* kept = nullptr;
  {
    std::optional<in_child> underway;
    if (seat != nullptr) underway.emplace(*this, seat->running());
    kept = collect_pushed();
    // What is spawned below is not pushed: its rank is not after what was.
    seat_.store(nullptr, std::memory_order_relaxed);
    help(latest);
  }
  if (cursor != nullptr) unobserved_part::end_stretch();
  await_all(latest, cursor);
  if (cursor != nullptr) unobserved_part::begin_between(*cursor);
  if (seat != nullptr) seat->frames().wish().admit_also(nullptr);
  // In the serial order.
  keep_first(failure_, std::move(thrown_first_));
  while (kept != nullptr) {
    group_member& child = *std::exchange(kept, static_cast<group_member*>(kept->next));
    add_kept(child);
  }
  // A thread that runs no strand has no other children, and has added the latest values after them.
  if (unqueued_children* const all = others_.load(std::memory_order_relaxed)) add_in_order(all->stray_list());
  extract_in_order(latest);
  append_strand(latest);
}

// What children of outside threads have begun is for a guest that waits for them, too.
void group_state::admit_outside(worker& seat) noexcept {
  // ORD[D36] acquire: as in wait().
  const unqueued_children* const all = others_.load(std::memory_order_acquire);
  if (all != nullptr && all->in_default() && all->at_home(seat))
    seat.frames().wish().admit_also(&all->outside());
}

void group_state::add_kept(group_member& child) noexcept {
  if (!child.settled) {
    settle(child);
    if (trace_cursor* const counted = child.counted_by_) counted->by().joined_child(*counted, child);
  }
  add_in_order(child);
}

// Returns those that left something behind, or run elsewhere.
group_member* group_state::collect_pushed() noexcept {
  group_member* kept = nullptr;
  int count = 0;
  while (group_member* const child = take_newest_spawned()) {
    if (room_ < most_pushed) ++room_;
    if (is_counted(*child)) [[unlikely]]
      --child->counted_by_->children;
    if (child->settled) [[unlikely]] {
    } else if (take_back(*child)) [[likely]] {
      run_newest(*child);
      if (child->leaves_nothing()) [[likely]] {
        child->end_(*child);
        continue;
      }
      child->settled = true;
    } else {
      ++away_;
      if (!is_counted(*child) && child->has_ended()) settle(*child);
    }
    keep(kept, *child, count);
  }
  return kept;
}

// What comes before the child comes before its own children, too, so it goes on with that.
void group_state::run_newest(group_member& child) noexcept {
  fiber& strand = *strand_.load(std::memory_order_relaxed);
  const std::uint64_t begun = strand.spawns;
  store_views(std::exchange(child.before_, nullptr));
  run_here(child, child.thrown);
  if (strand.spawns != begun && others_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
    child.views_ = gather(strand, begun);
  } else {
    child.views_ = load_views();
    if (child.views_ != nullptr) store_views(nullptr);
  }
}

// Runs children that others have not taken yet.
void group_state::help(view* latest) noexcept {
  // ORD[D36] acquire: as in wait().
  unqueued_children* const all = others_.load(std::memory_order_acquire);
  if (all == nullptr) return;
  while (group_member* const child = all->claim_newest(latest)) {
    std::exception_ptr thrown;
    all->begin(*child);
    worker* const here = worker::current();
    const std::uint64_t begun = here != nullptr ? here->running().spawns : 0;
    run_here(*child, thrown);
    if (here != nullptr) store_views(gather(worker::current()->running(), begun));
    all->close(*child, std::move(thrown));
    (void)all->finished(*child, exchange_views(nullptr), done_);
  }
}

// Whether the strand was suspended.
bool group_state::await(view* latest, const unqueued_children* all, std::intptr_t finishes) noexcept {
  worker* const here = worker::current();
  if (here != nullptr && (all == nullptr || all->at_home(*here))) return worker::wait(done_, finishes);
  sleep(latest, finishes);
  return false;
}

// `cursor`: that heard of the beginning of the wait.
void group_state::await_all(view* latest, trace_cursor* cursor) noexcept {
  // ORD[D36] acquire: as in wait().
  unqueued_children* const all = others_.load(std::memory_order_acquire);
  const std::intptr_t finishes = away_ - held;
  const auto wait = [&] { return (away_ != 0 || all != nullptr) && await(latest, all, finishes); };
  if (cursor != nullptr) {
    // The wait is a construct, too.
    whereabouts where{};
    if (cursor->push(where))
      (void)cursor->by().reached(*cursor, where, {.what = construct::kind::wait, .group = this});
    cursor->pop();
    wait_observed(*cursor, where, wait,
                  [&](pause waited) { cursor->by().regrouped(*cursor, where, waited); });
  } else {
    (void)wait();
  }
  if (away_ != 0 || all != nullptr) done_.again(finishes, held);
}

// The last child ends in another runtime, which cannot resume a strand of this one. Nor can it resume a
// thread that runs no strand.
void group_state::sleep(view* latest, std::intptr_t finishes) noexcept {
  unqueued_children& all = *others_.load(std::memory_order_relaxed);
  unqueued_children::waiting_thread thread{.awaited = finishes, .call = {}};
  while (all.announce(thread, done_)) {
    help(latest);
    if (!done_.done(finishes)) {
      all.insist_on_threads();
      const blocking_scope asleep;
      thread.call.park();
    }
    all.withdraw();
  }
}

namespace {

// Whether a thief, or the strand as it left a worker, has taken the child out of the deque. A child that is still there, below
// what the group knows of, leaves it as the strand waits.
bool has_left_deque(group_member& child) noexcept {
  worker* const w = worker::current();
  if (w == nullptr) return false;
  const std::lock_guard guard(w->frames().lock());
  return child.state() != nullptr;
}

}  // namespace

bool group_state::take_back(group_member& child) noexcept {
  if (!child.on_deque_) return listed_frames::reclaim(child);
  if (!on_top()) return has_left_deque(child) && listed_frames::reclaim(child);
  bool mine = pop();
  if (!mine) [[unlikely]] {
    unobserved_part::take_in(child.order);
    mine = take_newest(*worker::current()) || listed_frames::reclaim(child);
  }
  top_.store(load_tail(), std::memory_order_relaxed);
  return mine;
}

void group_state::run_here(group_member& child, std::exception_ptr& thrown) noexcept {
#if SENNIT_EXCEPTIONS
  // One that comes before it threw.
  if (!child.unqueued_ && thrown_latest()) [[unlikely]]
    return;
  if (can_throw_ && any_gate_shut() && stopped()) [[unlikely]] {
    dropped_.store(true, std::memory_order_relaxed);
    return;
  }
#endif
  // Else what was thrown by one that ran at once, after this one had been spawned, stays.
  if (std::exception_ptr of_child = thrown_by([&] { call_here(child); })) thrown = std::move(of_child);
}

void group_state::call_here(group_member& child) {
  trace_cursor* const cursor = any_gate_shut() ? current_tls().cursor : nullptr;
  if (cursor == nullptr) [[likely]] {
    child.run_here_(child);
  } else if (child.counted_by_ != nullptr &&
             (child.counted_by_ == cursor || child.counted_by_ == cursor->by().common_cursor())) {
    const level_within inside(*cursor, child.where());
    child.run_here_(child);
  } else {
    const unrecorded_level inside(*cursor);
    child.run_here_(child);
  }
}

void group_state::keep_first(std::exception_ptr& kept, std::exception_ptr thrown) noexcept {
  if (!kept) kept = std::move(thrown);
}

// Adds what a child left that has ended. The child's memory ends here.
void group_state::add_in_order(group_member& child) noexcept {
  add_in_order(child.before_);
  add_in_order(child.views_);
  keep_first(failure_, std::move(child.thrown));
  child.end_(child);
}

// What a strand left: first what its children did.
void group_state::add_in_order(view* list) noexcept {
  extract_in_order(list);
  append_views(list);
}

void group_state::extract_in_order(view*& list) noexcept {
  if (unqueued_children* const all = others_.load(std::memory_order_relaxed)) {
    while (const std::unique_ptr<spawn_view> spawned = all->extract(list)) {
      append_views(unqueued_children::take_earlier(list, *spawned));
      add_in_order(spawned->list());
      if (!spawned->empty())
        misuse("a strand that is no child of a task_group spawns while the group is waited for.");
    }
  }
}

void group_state::add_in_order(group_link& ring) noexcept {
  unqueued_children& all = *others_.load(std::memory_order_relaxed);
  for (;;) {
    std::exception_ptr thrown;
    group_member* const child = all.take_oldest(ring, thrown);
    keep_first(failure_, std::move(thrown));
    if (child == nullptr) return;
    add_in_order(*child);
  }
}

void group_state::report() {
  SENNIT_ASSERT(newest == nullptr && !thrown_first_);  // all have been waited for
  close();
  blocks_.release();
  room_ = most_pushed;
  at_once_ = 0;
  away_ = 0;
  if (unqueued_children* const all = others_.load(std::memory_order_relaxed)) all->settle_home(home_);
  open_.store(false, std::memory_order_relaxed);
  waited_for_.store(false, std::memory_order_relaxed);
  [[maybe_unused]] std::exception_ptr failure = std::exchange(failure_, nullptr);
  [[maybe_unused]] const bool dropped = dropped_.load(std::memory_order_relaxed);
  if (dropped) dropped_.store(false, std::memory_order_relaxed);
#if SENNIT_EXCEPTIONS
  if (failure) std::rethrow_exception(std::move(failure));
  if (dropped) throw sennit::cancelled();
#endif
}

void group_state::end() {
  // Most have been waited for.
  if (!open_.load(std::memory_order_relaxed) && strand_.load(std::memory_order_relaxed) == nullptr) return;
#if SENNIT_EXCEPTIONS
  if (std::uncaught_exceptions() > unwinding_) {
    try {
      wait();
    } catch (...) {  // one exception is on its way already
    }
    return;
  }
#endif
  wait();
}

}  // namespace sennit::detail
