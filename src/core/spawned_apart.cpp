#include "core/spawned_apart.hpp"

#include "core/failure.hpp"
#include "core/float_environment.hpp"
#include "core/runtime_core.hpp"
#include "core/views.hpp"
#include "core/worker.hpp"

#include <sennit/detail/misuse.hpp>

#include <cstdint>
#include <mutex>
#include <new>
#include <ranges>
#include <utility>

namespace sennit::detail {

namespace {

// Of all groups: who forks the process holds all of them, and knows where they are. None is taken under
// another one, and no code of the program runs under one.
struct alignas(64) group_lock : brief_lock {};
constinit group_lock group_locks[16];

brief_lock& lock_for(const spawned_apart* group) noexcept {
  const std::uint64_t spread = reinterpret_cast<std::uintptr_t>(group) * 0x9e3779b97f4a7c15;
  return group_locks[spread >> 60];
}

}  // namespace

void left_open() {
  misuse("children of a task_group are still open where the function that spawned them ends: call the "
         "group's wait() in it, or spawn them from a group that is made in it.");
}

spawned_apart* spawned_apart::make(worker* home) {
  const auto made = std::make_shared<spawned_apart>();
  made->self_ = made;
  made->home_.store(home, std::memory_order_relaxed);
  made->strays_.previous = made->strays_.next = &made->strays_;
  capture_float_environment(made->outside_);
  made->outside_.implied = true;
  return made.get();
}

spawned_apart::spawned_apart() : lock_(lock_for(this)) {}

spawned_apart::~spawned_apart() { end_views(left.load(std::memory_order_relaxed)); }

void spawned_apart::let_go() noexcept {
  settle_home(nullptr);
  ended.store(true, std::memory_order_relaxed);
  const std::shared_ptr<spawned_apart> last = std::move(self_);
}

void spawned_apart::settle_home(worker* home) noexcept {
  home_.store(home, std::memory_order_relaxed);
  worker* const lender = lender_.exchange(nullptr, std::memory_order_relaxed);
  if (lender != nullptr) lender->core().dismiss_guest(*lender);
}

bool spawned_apart::at_home(worker& here) const noexcept {
  worker* const home = home_.load(std::memory_order_relaxed);
  return home == nullptr || &home->core() == &here.core();
}

bool spawned_apart::in_default() const noexcept {
  const worker* const home = home_.load(std::memory_order_relaxed);
  return home != nullptr && is_default(home->core());
}

worker* spawned_apart::place_for(worker* here) {
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

spawn_view& spawned_apart::view_here() {
  if (view* const own = find_view(this)) return static_cast<spawn_view&>(*own);
  auto* const made = new spawn_view(*this, self_);
  add_view(*made);
  return *made;
}

void spawned_apart::put_before(group_member& child) noexcept {
  child.before_ = take_values();
  child.continues_ = child.before_ != nullptr;
}

void spawned_apart::add(group_member& child, spawn_view& spawned, worker& place) noexcept {
  put_before(child);
  const std::uint64_t at = last_child(load_views()) + 1;
  if (spawned.children() == nullptr) spawned.places_.first = at;
  spawned.places_.last = at;
  unstarted_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard guard(lock_);
    link_before(spawned.list_, child);
  }
  place.frames().list(child);
  place.announce_work();
}

void spawned_apart::add_from_outside(group_member& child, worker& place) noexcept {
  child.depart(&outside_);
  put_before(child);
  unstarted_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard guard(lock_);
    link_before(strays_, child);
    // Under the lock: a thread that lies down meanwhile either finds it, or is told.
    place.frames().list(child);
    if (asleep_ != nullptr) asleep_->call.unpark();
  }
  place.announce_work();
}

void spawned_apart::note(spawn_view& spawned, std::exception_ptr thrown) noexcept {
  spawned.failed_ = true;
  const std::lock_guard guard(lock_);
  std::exception_ptr& last = spawned.list_.previous->thrown;
  if (!last) last = std::move(thrown);
}

void spawned_apart::note_outside(std::exception_ptr thrown) noexcept {
  const std::lock_guard guard(lock_);
  std::exception_ptr& last = strays_.previous->thrown;
  if (!last) last = std::move(thrown);
}

void spawned_apart::note_here(std::exception_ptr thrown) noexcept {
  spawn_view* spawned = nullptr;
  if (attempt<std::bad_alloc>([&] { spawned = &view_here(); })) {
    note(*spawned, std::move(thrown));
  } else {
    note_outside(std::move(thrown));
  }
}

void spawned_apart::begin(group_member& child) noexcept {
  unstarted_.fetch_sub(1, std::memory_order_relaxed);
  if (!child.continues_) return;
  view* before = nullptr;
  {
    const std::lock_guard guard(lock_);
    before = std::exchange(child.before_, nullptr);
  }
  // Chained, it may have several views of a reducer.
  append_views(before);
}

void spawned_apart::close(group_member& child) noexcept {
  view* views = exchange_views(nullptr);
  const std::unique_ptr<spawn_view> below = extract(views);
  store_views(views);
  if (below) {
    const std::lock_guard guard(lock_);
    if (!below->empty()) {
      // What comes before the child comes before its own children.
      group_member& first = member(*below->list_.next);
      first.before_ = chain_views(std::exchange(child.before_, nullptr), first.before_);
      if (asleep_ != nullptr) asleep_->call.unpark();
    }
    splice_before(child, below->list_);
  }
  while (take_in_neighbor(child)) {
  }
}

// So what children leave is as much as are yet to end, and who claims the newest child does not look at all that have
// ended. By the strand of the child, as the program's code adds up what they left.
bool spawned_apart::take_in_neighbor(group_member& child) noexcept {
  group_member* earlier = nullptr;
  group_member* later = nullptr;
  view* before = nullptr;
  {
    const std::lock_guard guard(lock_);
    const bool empty = load_views() == nullptr && child.before_ == nullptr && !child.thrown;
    if (child.next->settled && (!empty || child.previous->settled || child.next->next->settled)) {
      later = &member(*child.next);
      unlink(*later);
      if (!child.thrown) child.thrown = std::move(later->thrown);
    } else if (child.previous->settled && !empty) {
      earlier = &member(*child.previous);
      unlink(*earlier);
      if (!child.previous->thrown) child.previous->thrown = std::move(earlier->thrown);
      before = std::exchange(child.before_, nullptr);
    } else {
      return false;
    }
  }
  if (later != nullptr) {
    append_views(later->before_);
    append_views(later->views_);
    later->end_(*later);
  } else {
    before = merge_views(merge_views(earlier->before_, earlier->views_), before);
    earlier->end_(*earlier);
    const std::lock_guard guard(lock_);
    // What another strand has put there meanwhile comes before all that the child has taken in.
    child.before_ = chain_views(child.before_, before);
  }
  return true;
}

// What was thrown after `how` is dropped before the wait can end: its destructor is the program's.
fiber* spawned_apart::finished(group_member& child, std::exception_ptr how, completion& done) noexcept {
  std::exception_ptr later;
  if (how) {
    const std::lock_guard guard(lock_);
    later = std::exchange(child.thrown, std::move(how));
  }
  later = nullptr;
  bool gone = false;
  fiber* waiter = nullptr;
  {
    const std::lock_guard guard(lock_);
    gone = leaves_nothing(child);
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

bool spawned_apart::leaves_nothing(const group_member& child) noexcept {
  return child.views_ == nullptr && child.before_ == nullptr && !child.thrown;
}

// Under the lock. Unless a thread lies there, which cannot get up before the lock is free, finish() is the
// last access to the group.
fiber* spawned_apart::finish(completion& done) noexcept {
  sleeper* const thread = asleep_;
  fiber* const waiter = done.finish();
  if (thread != nullptr && done.done(thread->awaited)) thread->call.unpark();
  return waiter;
}

bool spawned_apart::lie_down(sleeper& thread, const completion& done) noexcept {
  const std::lock_guard guard(lock_);
  if (done.done(thread.awaited)) return false;
  asleep_ = &thread;
  return true;
}

void spawned_apart::get_up() noexcept {
  const std::lock_guard guard(lock_);
  asleep_ = nullptr;
}

group_member* spawned_apart::claim_newest(view* list) noexcept {
  const auto claim_in = [](group_link& ring) noexcept -> group_member* {
    for (group_link* l = ring.previous; l != &ring; l = l->previous) {
      if (!l->settled && deque::reclaim(member(*l))) return &member(*l);
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

std::unique_ptr<spawn_view> spawned_apart::extract(view*& list) const noexcept {
  for (view** at = &list; *at != nullptr; at = &(*at)->next) {
    if ((*at)->reducer() != this) continue;
    auto* const found = static_cast<spawn_view*>(*at);
    *at = found->next;
    return std::unique_ptr<spawn_view>(found);
  }
  return nullptr;
}

view* spawned_apart::take_earlier(view*& list, spawn_view& spawned) noexcept {
  const child_places* const own = spawned.children();
  if (own == nullptr) return nullptr;
  view* earlier = nullptr;
  for (view** at = &list; *at != nullptr;) {
    view* const v = *at;
    if (const child_places* const other = v->children(); other != nullptr && other->last < own->first) {
      *at = v->next;
      v->next = std::exchange(earlier, v);
    } else {
      at = &v->next;
    }
  }
  return earlier;
}

group_member* spawned_apart::take_oldest(group_link& list, std::exception_ptr& thrown) noexcept {
  const std::lock_guard guard(lock_);
  thrown = std::exchange(list.thrown, nullptr);
  if (!list.next->settled) return nullptr;
  group_member& oldest = member(*list.next);
  unlink(oldest);
  return &oldest;
}

void spawned_apart::prune(view*& list) noexcept {
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

bool spawned_apart::any_open(const view* list, const region_state& region) noexcept {
  for (const view* v = list; v != nullptr; v = v->next) {
    if (!v->holds_children() || v->reducer()->ended.load(std::memory_order_relaxed)) continue;
    const auto& spawned = static_cast<const spawn_view&>(*v);
    const std::lock_guard guard(spawned.all_.lock_);
    for (const group_link* l = spawned.list_.next; l != &spawned.list_; l = l->next) {
      auto& child = member(const_cast<group_link&>(*l));
      if (!child.settled && child.away().region == &region) return true;
    }
  }
  return false;
}

void spawned_apart::hand_to_thread(view*& list) noexcept {
  for (view** at = &list; *at != nullptr;) {
    view* const v = *at;
    if (!v->holds_children() || v->reducer()->ended.load(std::memory_order_relaxed)) {
      at = &v->next;
      continue;
    }
    *at = v->next;
    auto* const spawned = static_cast<spawn_view*>(v);
    // What the thread has added before comes before them.
    if (view* const earlier = take_values(); earlier != nullptr && !spawned->put_before(earlier))
      append_views(earlier);
    {
      const std::lock_guard guard(spawned->all_.lock_);
      splice_before(spawned->all_.strays_, spawned->list_);
    }
    delete spawned;
  }
}

void spawned_apart::recall() noexcept {
  if (left.load(std::memory_order_relaxed) != nullptr) recall_views(self_);
}

void spawned_apart::link_before(group_link& at, group_link& added) noexcept {
  added.previous = at.previous;
  added.next = &at;
  at.previous->next = &added;
  at.previous = &added;
}

void spawned_apart::unlink(group_link& gone) noexcept {
  gone.previous->next = gone.next;
  gone.next->previous = gone.previous;
}

// What was thrown before the first of them was thrown after what is before `at`.
void spawned_apart::splice_before(group_link& at, group_link& ring) noexcept {
  if (ring.thrown && !at.previous->thrown) at.previous->thrown = std::move(ring.thrown);
  if (ring.next == &ring) return;
  at.previous->next = ring.next;
  ring.next->previous = at.previous;
  ring.previous->next = &at;
  at.previous = ring.previous;
  ring.previous = ring.next = &ring;
}

void spawned_apart::insist_on_threads() const noexcept {
  if (const worker* const home = home_.load(std::memory_order_relaxed)) home->core().insist_on_threads();
}

void spawned_apart::hold_for_fork() noexcept {
  for (brief_lock& lock : group_locks) lock.lock();
}

void spawned_apart::let_go_after_fork() noexcept {
  for (brief_lock& lock : group_locks | std::views::reverse) lock.unlock();
}

spawn_view::spawn_view(spawned_apart& all, const std::shared_ptr<reducer_base>& whole) noexcept
    : view(whole), all_(all) {
  list_.previous = list_.next = &list_;
}

// Its children, if there are any, have ended, and nobody asks for what they left.
spawn_view::~spawn_view() {
  while (list_.next != &list_) {
    group_member& left = spawned_apart::member(*list_.next);
    spawned_apart::unlink(left);
    end_views(left.before_);
    end_views(left.views_);
    left.end_(left);
  }
}

void spawn_view::append(view& right) noexcept {
  auto& later = static_cast<spawn_view&>(right);
  const std::lock_guard guard(all_.lock_);
  if (list_.next == &list_) places_.first = later.places_.first;
  places_.last = later.places_.last;
  failed_ |= later.failed_;
  spawned_apart::splice_before(list_, later.list_);
}

child_places* spawn_view::children() noexcept {
  if (reducer()->ended.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard guard(all_.lock_);
  return list_.next != &list_ ? &places_ : nullptr;
}

bool spawn_view::holds_nothing() const noexcept {
  const std::lock_guard guard(all_.lock_);
  return list_.next == &list_ && !list_.thrown;
}

bool spawn_view::put_before(view* earlier) noexcept {
  if (reducer()->ended.load(std::memory_order_relaxed)) return false;
  const std::lock_guard guard(all_.lock_);
  if (list_.next == &list_) return false;
  group_member& first = spawned_apart::member(*list_.next);
  first.before_ = chain_views(earlier, first.before_);
  return true;
}

}  // namespace sennit::detail
