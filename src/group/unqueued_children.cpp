// SPDX-License-Identifier: Apache-2.0
#include "group/unqueued_children.hpp"

#include "fork/views.hpp"
#include "process/fork_child.hpp"
#include "runtime/runtime.hpp"
#include "stack/float_environment.hpp"
#include "stack/strand_state.hpp"
#include "trace/tracer.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/detail/failure.hpp>

#include <cstdint>
#include <mutex>
#include <new>
#include <ranges>
#include <utility>

namespace sennit::detail {

namespace {

// All groups share these locks: a thread that forks the process takes all of them, and knows where they are.
// None is taken under another one, and no code of the program runs under one.
struct alignas(64) group_lock : brief_lock {};
constinit group_lock group_locks[16];

brief_lock& lock_for(const unqueued_children* group) noexcept {
  const std::uint64_t spread = reinterpret_cast<std::uintptr_t>(group) * 0x9e3779b97f4a7c15;
  return group_locks[spread >> 60];
}

}  // namespace

unqueued_children* unqueued_children::make(worker* home) {
  const auto made = std::make_shared<unqueued_children>();
  made->self_ = made;
  made->home_.store(home, std::memory_order_relaxed);
  made->strays_.previous = made->strays_.next = &made->strays_;
  capture_float_environment(made->outside_);
  made->outside_.implied = true;
  made->outside_.observed_by = tracer::current(home != nullptr ? home->core().workers() : 0);
  return made.get();
}

unqueued_children::unqueued_children() : lock_(lock_for(this)) {}

unqueued_children::~unqueued_children() { end_views(left.load(std::memory_order_relaxed)); }

void unqueued_children::let_go() noexcept {
  settle_home(nullptr);
  ended.store(true, std::memory_order_relaxed);
  const std::shared_ptr<unqueued_children> last = std::move(self_);
}

void unqueued_children::settle_home(worker* home) noexcept {
  home_.store(home, std::memory_order_relaxed);
  worker* const lender = lender_.exchange(nullptr, std::memory_order_relaxed);
  if (lender != nullptr) lender->core().dismiss_guest(*lender);
}

bool unqueued_children::at_home(worker& here) const noexcept {
  worker* const home = home_.load(std::memory_order_relaxed);
  return home == nullptr || &home->core() == &here.core();
}

bool unqueued_children::in_default() const noexcept {
  const worker* const home = home_.load(std::memory_order_relaxed);
  return home != nullptr && is_default(home->core());
}

worker* unqueued_children::seat_for(worker* here) {
  worker* home = home_.load(std::memory_order_relaxed);
  if (home == nullptr) {
    worker* const lender = here == nullptr ? &admit_to_default() : nullptr;
    worker* const mine = here != nullptr ? here : lender;
    if (home_.compare_exchange_strong(home, mine, std::memory_order_relaxed)) {
      home = mine;
      if (lender != nullptr) lender_.store(lender, std::memory_order_relaxed);
    } else if (lender != nullptr) {
      lender->core().dismiss_guest(*lender);
    }
  }
  if (here == nullptr) return home;
  return &home->core() == &here->core() ? here : nullptr;
}

spawn_view& unqueued_children::view_here() {
  if (view* const own = find_view(this)) return static_cast<spawn_view&>(*own);
  auto* const made = new spawn_view(*this, self_);
  add_view(*made);
  return *made;
}

void unqueued_children::put_before(group_member& child) noexcept {
  child.before_ = take_values();
  child.continues_ = child.before_ != nullptr;
}

void unqueued_children::add(group_member& child, spawn_view& spawned, worker& seat) noexcept {
  put_before(child);
  const std::uint64_t at = last_child(load_views()) + 1;
  if (spawned.children() == nullptr) spawned.ranks_.first = at;
  spawned.ranks_.last = at;
  unstarted_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard guard(lock_);
    link_before(spawned.list_, child);
  }
  seat.frames().listed().add(child);
  seat.announce_work();
}

void unqueued_children::add_from_outside(group_member& child, worker& seat) noexcept {
  child.mark_stolen(&outside_);
  put_before(child);
  unstarted_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard guard(lock_);
    link_before(strays_, child);
    // Under the lock: a thread that announces itself meanwhile either finds it, or is told.
    seat.frames().listed().add(child);
    if (waiting_ != nullptr) waiting_->call.unpark();
  }
  seat.announce_work();
}

void unqueued_children::note(spawn_view& spawned, std::exception_ptr thrown) noexcept {
  spawned.failed_ = true;
  const std::lock_guard guard(lock_);
  std::exception_ptr& last = spawned.list_.previous->thrown;
  if (!last) last = std::move(thrown);
}

void unqueued_children::note_outside(std::exception_ptr thrown) noexcept {
  const std::lock_guard guard(lock_);
  std::exception_ptr& last = strays_.previous->thrown;
  if (!last) last = std::move(thrown);
}

void unqueued_children::note_here(std::exception_ptr thrown) noexcept {
  spawn_view* spawned = nullptr;
  if (attempt<std::bad_alloc>([&] { spawned = &view_here(); })) {
    note(*spawned, std::move(thrown));
  } else {
    note_outside(std::move(thrown));
  }
}

void unqueued_children::begin(group_member& child) noexcept {
  SENNIT_ASSERT(!child.settled && !child.merging);
  [[maybe_unused]] const int unstarted = unstarted_.fetch_sub(1, std::memory_order_relaxed);
  SENNIT_ASSERT(unstarted > 0);
  if (!child.continues_) return;
  view* before = nullptr;
  {
    const std::lock_guard guard(lock_);
    before = std::exchange(child.before_, nullptr);
  }
  // Chained, it may have several views of a reducer.
  append_views(before);
}

// What was thrown after `how` is dropped before the wait can end: its destructor is the program's.
void unqueued_children::close(group_member& child, std::exception_ptr how) noexcept {
  view* views = exchange_views(nullptr);
  const std::unique_ptr<spawn_view> below = extract(views);
  store_views(views);
  std::exception_ptr later;
  group_member* earlier = nullptr;
  {
    const std::lock_guard guard(lock_);
    SENNIT_ASSERT(!child.settled && !child.merging);
    if (how) later = std::exchange(child.thrown, std::move(how));
    if (below) earlier = insert_children(child, *below);
  }
  later = nullptr;
  if (earlier != nullptr) merge_later(*earlier);
  while (take_in_neighbor(child)) {
  }
}

// Under the lock: the child's own children take their ranks before it. Returns its earlier neighbor, to be merged with
// the one that follows it now, if both have ended; else null.
group_member* unqueued_children::insert_children(group_member& child, spawn_view& below) noexcept {
  group_link& earlier = *child.previous;
  if (!below.empty()) {
    // What comes before the child comes before its own children.
    group_member& first = member(*below.list_.next);
    first.before_ = chain_views(std::exchange(child.before_, nullptr), first.before_);
    if (waiting_ != nullptr) waiting_->call.unpark();
  }
  splice_before(child, below.list_);
  if (!may_take_in(earlier) || !may_take_in(*earlier.next)) return nullptr;
  member(earlier).merging = true;
  return &member(earlier);
}

bool unqueued_children::may_take_in(const group_link& link) noexcept { return link.settled && !link.merging; }

// `earlier` and the child after it have both ended. Merges the later child into `earlier`, as long as there is one.
void unqueued_children::merge_later(group_member& earlier) noexcept {
  for (;;) {
    group_member* later = nullptr;
    {
      const std::lock_guard guard(lock_);
      SENNIT_ASSERT(earlier.settled && earlier.merging);
      if (!may_take_in(*earlier.next)) {
        earlier.merging = false;
        return;
      }
      later = &member(*earlier.next);
      unlink(*later);
      if (!earlier.thrown) earlier.thrown = std::move(later->thrown);
    }
    earlier.views_ = merge_views(earlier.views_, merge_views(later->before_, later->views_));
    later->end_(*later);
  }
}

// So there are no more remains of ended children than children that have yet to end, and a strand that claims
// the newest child does not look at all that have ended. The strand of the child calls it, because the
// program's code adds up what the children left.
bool unqueued_children::take_in_neighbor(group_member& child) noexcept {
  group_member* earlier = nullptr;
  group_member* later = nullptr;
  view* before = nullptr;
  {
    const std::lock_guard guard(lock_);
    SENNIT_ASSERT(!child.settled && !child.merging);
    const bool empty = load_views() == nullptr && child.before_ == nullptr && !child.thrown;
    later = unlink_later(child, empty);
    if (later == nullptr && !empty) earlier = unlink_earlier(child);
    if (earlier != nullptr) before = std::exchange(child.before_, nullptr);
  }
  if (later != nullptr) {
    append_views(later->before_);
    append_views(later->views_);
    later->end_(*later);
    return true;
  }
  if (earlier == nullptr) return false;
  // All of it in the strand's list, as that knows which values come before whose children. What others put before
  // the child from here on comes before all that it has taken in.
  view* const own = exchange_views(nullptr);
  append_views(earlier->before_);
  append_views(earlier->views_);
  append_views(before);
  append_views(own);
  earlier->end_(*earlier);
  return true;
}

// Takes the child's later neighbor out of the list, if that has ended. If this child itself leaves nothing, it does so only
// where a second neighbor has ended, too.
group_member* unqueued_children::unlink_later(group_member& child, bool empty) noexcept {
  if (!may_take_in(*child.next)) return nullptr;
  if (empty && !child.previous->settled && !child.next->next->settled) return nullptr;
  group_member& later = member(*child.next);
  unlink(later);
  if (!child.thrown) child.thrown = std::move(later.thrown);
  return &later;
}

group_member* unqueued_children::unlink_earlier(group_member& child) noexcept {
  if (!may_take_in(*child.previous)) return nullptr;
  group_member& earlier = member(*child.previous);
  unlink(earlier);
  if (!child.previous->thrown) child.previous->thrown = std::move(earlier.thrown);
  return &earlier;
}

fiber* unqueued_children::finished(group_member& child, view* left, completion& done) noexcept {
  child.views_ = left;
  bool gone = false;
  fiber* waiter = nullptr;
  {
    const std::lock_guard guard(lock_);
    SENNIT_ASSERT(!child.settled && !child.merging);
    gone = child.leaves_nothing();
    if (gone) {
      unlink(child);
    } else {
      child.settled = true;
    }
    waiter = finish(done);
  }
  if (gone) child.end_(child);
  return waiter;
}

// Under the lock. Unless a thread waits, which cannot withdraw before the lock is free, finish() is the last access
// to the group.
fiber* unqueued_children::finish(completion& done) noexcept {
  waiting_thread* const thread = waiting_;
  fiber* const waiter = done.finish();
  if (thread != nullptr && done.done(thread->awaited)) thread->call.unpark();
  return waiter;
}

bool unqueued_children::announce(waiting_thread& thread, const completion& done) noexcept {
  const std::lock_guard guard(lock_);
  if (done.done(thread.awaited)) return false;
  SENNIT_ASSERT(waiting_ == nullptr);
  waiting_ = &thread;
  return true;
}

void unqueued_children::withdraw() noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(waiting_ != nullptr);
  waiting_ = nullptr;
}

group_member* unqueued_children::claim_newest(view* list) noexcept {
  const auto claim_in = [](group_link& ring) noexcept -> group_member* {
    for (group_link* l = ring.previous; l != &ring; l = l->previous) {
      if (!l->settled && listed_frames::reclaim(member(*l))) return &member(*l);
    }
    return nullptr;
  };
  const std::lock_guard guard(lock_);
  for (view* v = list; v != nullptr; v = v->next) {
    if (v->reducer() != this) continue;
    if (group_member* const claimed = claim_in(static_cast<spawn_view*>(v)->list_)) return claimed;
  }
  return claim_in(strays_);
}

std::unique_ptr<spawn_view> unqueued_children::extract(view*& list) const noexcept {
  for (view** at = &list; *at != nullptr; at = &(*at)->next) {
    if ((*at)->reducer() != this) continue;
    auto* const found = static_cast<spawn_view*>(*at);
    *at = found->next;
    return std::unique_ptr<spawn_view>(found);
  }
  return nullptr;
}

view* unqueued_children::take_earlier(view*& list, spawn_view& spawned) noexcept {
  const child_ranks* const own = spawned.children();
  if (own == nullptr) return nullptr;
  view* earlier = nullptr;
  for (view** at = &list; *at != nullptr;) {
    view* const v = *at;
    if (const child_ranks* const other = v->children(); other != nullptr && other->last < own->first) {
      *at = v->next;
      v->next = std::exchange(earlier, v);
    } else {
      at = &v->next;
    }
  }
  return earlier;
}

group_member* unqueued_children::take_oldest(group_link& list, std::exception_ptr& thrown) noexcept {
  const std::lock_guard guard(lock_);
  thrown = std::exchange(list.thrown, nullptr);
  if (!list.next->settled) return nullptr;
  group_member& oldest = member(*list.next);
  SENNIT_ASSERT(!oldest.merging);  // whose strand has not ended
  unlink(oldest);
  return &oldest;
}

void unqueued_children::prune(view*& list) noexcept {
  for (view** at = &list; *at != nullptr;) {
    view* const v = *at;
    if (v->holds_children() && static_cast<spawn_view*>(v)->holds_nothing()) {
      *at = v->next;
      delete v;
    } else {
      at = &v->next;
    }
  }
}

void unqueued_children::recall() noexcept {
  if (left.load(std::memory_order_relaxed) != nullptr) recall_views(self_);
}

void unqueued_children::link_before(group_link& at, group_link& added) noexcept {
  SENNIT_ASSERT(at.previous->next == &at);
  added.previous = at.previous;
  added.next = &at;
  at.previous->next = &added;
  at.previous = &added;
}

void unqueued_children::unlink(group_link& gone) noexcept {
  SENNIT_ASSERT(gone.next != &gone);  // that would be the ring itself
  SENNIT_ASSERT(gone.previous->next == &gone && gone.next->previous == &gone);
  gone.previous->next = gone.next;
  gone.next->previous = gone.previous;
}

// What was thrown before the first of them was thrown after what is before `at`.
void unqueued_children::splice_before(group_link& at, group_link& ring) noexcept {
  if (ring.thrown && !at.previous->thrown) at.previous->thrown = std::move(ring.thrown);
  if (ring.next == &ring) return;
  SENNIT_ASSERT(&at != &ring && at.previous->next == &at && ring.previous->next == &ring);
  at.previous->next = ring.next;
  ring.next->previous = at.previous;
  ring.previous->next = &at;
  at.previous = ring.previous;
  ring.previous = ring.next = &ring;
}

void unqueued_children::insist_on_threads() const noexcept {
  if (const worker* const home = home_.load(std::memory_order_relaxed)) home->core().insist_on_threads();
}

void unqueued_children::hold_for_fork() noexcept {
  for (brief_lock& lock : group_locks) lock.lock();
}

void unqueued_children::let_go_after_fork() noexcept {
  for (brief_lock& lock : group_locks | std::views::reverse) lock.unlock();
}

namespace {

[[maybe_unused]] const held_over_forks locks(held_over_forks::of_groups, &unqueued_children::hold_for_fork,
                                             &unqueued_children::let_go_after_fork);

}  // namespace

spawn_view::spawn_view(unqueued_children& all, const std::shared_ptr<reducer_base>& whole) noexcept
    : view(whole), all_(all) {
  list_.previous = list_.next = &list_;
}

// Its children, if there are any, have ended, and nobody asks for what they left.
spawn_view::~spawn_view() {
  while (list_.next != &list_) {
    group_member& left = unqueued_children::member(*list_.next);
    unqueued_children::unlink(left);
    end_views(left.before_);
    end_views(left.views_);
    left.end_(left);
  }
}

void spawn_view::append(view& right) noexcept {
  auto& later = static_cast<spawn_view&>(right);
  SENNIT_ASSERT(&later != this && &later.all_ == &all_);
  const std::lock_guard guard(all_.lock_);
  if (list_.next == &list_) ranks_.first = later.ranks_.first;
  ranks_.last = later.ranks_.last;
  failed_ |= later.failed_;
  unqueued_children::splice_before(list_, later.list_);
}

child_ranks* spawn_view::children() noexcept {
  if (reducer()->ended.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard guard(all_.lock_);
  return list_.next != &list_ ? &ranks_ : nullptr;
}

bool spawn_view::holds_nothing() const noexcept {
  const std::lock_guard guard(all_.lock_);
  return list_.next == &list_ && !list_.thrown;
}

bool spawn_view::put_before(view* earlier) noexcept {
  if (reducer()->ended.load(std::memory_order_relaxed)) return false;
  const std::lock_guard guard(all_.lock_);
  if (list_.next == &list_) return false;
  group_member& first = unqueued_children::member(*list_.next);
  first.before_ = chain_views(earlier, first.before_);
  return true;
}

bool spawn_view::any_open(const region_state& region) const noexcept {
  if (reducer()->ended.load(std::memory_order_relaxed)) return false;
  const std::lock_guard guard(all_.lock_);
  for (const group_link* l = list_.next; l != &list_; l = l->next) {
    auto& child = unqueued_children::member(const_cast<group_link&>(*l));
    if (!child.settled && child.stolen().region == &region) return true;
  }
  return false;
}

bool spawn_view::hand_to_thread() noexcept {
  if (reducer()->ended.load(std::memory_order_relaxed)) return false;
  // What the thread has added before comes before them.
  if (view* const earlier = take_values(); earlier != nullptr && !put_before(earlier)) append_views(earlier);
  const std::lock_guard guard(all_.lock_);
  unqueued_children::splice_before(all_.strays_, list_);
  return true;
}

}  // namespace sennit::detail
