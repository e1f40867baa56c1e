// SPDX-License-Identifier: Apache-2.0
#include "fork/answer.hpp"
#include "fork/observation.hpp"
#include "fork/views.hpp"
#include "group/pushed_children.hpp"
#include "group/unqueued_children.hpp"
#include "process/contract.hpp"
#include "stack/strand_state.hpp"
#include "system/sanitizers.hpp"
#include "worker/runtime_core.hpp"
#include "worker/unobserved_part.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/group/group.hpp>
#include <sennit/join.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

namespace sennit::detail {

namespace {

// How deep children that run at once may lie in one another on a thread that runs no strand: nobody knows how
// much of its stack is left.
constexpr unsigned most_nested = 64;
constinit thread_local unsigned nested [[gnu::tls_model("initial-exec")]] = 0;

bool any_children(const view* list) noexcept {
  while (list != nullptr && !list->holds_children()) list = list->next;
  return list != nullptr;
}

// Whether the group is on the stack of the worker's strand: then what is on the deque as the group is made is
// older than its children will be. Nothing is known of a group anywhere else.
bool belongs_here(const group_state& group, worker& w) noexcept {
  const stack& memory = w.running().memory();
  const auto* const here = reinterpret_cast<const char*>(&group);
  if (on_fake_stack(here)) return true;
  return here > static_cast<const char*>(__builtin_frame_address(0)) &&
         here < static_cast<const char*>(memory.top());
}

// The strand's region as the program has it. A part of a strand that a trace leaves alone is none: groups and children that are
// made there may outlast it.
region_state* region_of_program(worker& w) noexcept {
  region_state* const region = w.running().innermost->region;
  return region->hidden && !region->observed_by->keeps_positions() ? region->outer : region;
}

}  // namespace

group_state::group_state(bool can_throw, when_many_wait further) noexcept
    : room_(most_pushed), can_throw_(can_throw), further_(further), unwinding_(std::uncaught_exceptions()) {
  worker* const w = worker::current();
  // The user of an integration may take a group out of the construct that it was made in.
  if (further == when_many_wait::run_at_once && w != nullptr && w->running().innermost != nullptr)
    around_ = region_of_program(*w);
  // A group that is not on the stack may be used where frames lie on the deque that are younger.
  if (w == nullptr || !belongs_here(*this, *w)) return;
  home_ = w;
  maker_ = &w->running();
  made_in_ = w->running().innermost_child;
  anchor(*w);
}

group_state::~group_state() {
  if (unqueued_children* const others = others_.load(std::memory_order_relaxed)) others->let_go();
}

void group_state::anchor(worker& seat) noexcept {
  seat_.store(&seat, std::memory_order_relaxed);
  epoch_.store(seat.frames().epoch(), std::memory_order_relaxed);
  top_.store(load_tail(), std::memory_order_relaxed);
}

// --- Spawning.

spawning group_state::admit() {
  if (!on_top()) return admit_unqueued();
  if (thrown_latest()) [[unlikely]]
    return spawning::at_once_in_order;  // it is dropped
  if (room_ > 0) [[likely]] {
    --room_;
    return spawning::pushed;
  }
  return admit_when_full();
}

namespace {

// Whether the calling strand's region is recorded, or follows a schedule.
bool keeps_positions_here() noexcept {
  trace_cursor* const cursor = current_tls().cursor;
  return cursor != nullptr && cursor->by().keeps_positions();
}

}  // namespace

spawning group_state::admit_when_full() {
  worker& w = *worker::current();
  if (any_gate_shut()) [[unlikely]] {
    // Observed, it might be recorded where it runs.
    if (keeps_positions_here()) return spawning::pushed;
    meet_gate(w);
    if (!on_top()) return admit_unqueued();
  }
  if (!w.running().memory().half_left()) [[unlikely]]
    return spawning::pushed;
  // Those that were taken are looked at now and then, or where none are left for others.
  if (at_once_ > 0 && !w.frames().empty()) [[likely]] {
    --at_once_;
    return spawning::at_once_in_order;
  }
  sweep();
  return on_top() ? admit_swept() : admit_unqueued();
}

// A strand that only spawns meets no other gate.
void group_state::meet_gate(worker& here) {
#if SENNIT_EXCEPTIONS
  if (can_throw_ && detail::stopped(here)) throw sennit::cancelled();
#endif
  unobserved_part::end_long_stretch();
  (void)answer_gates(here, false);
}

spawning group_state::admit_swept() noexcept {
  // The next look comes when twice as many wait: one look for each child, on average.
  if (further_ == when_many_wait::queue) room_ = std::max(most_pushed, most_pushed - room_);
  if (room_ >= most_pushed / 4) {
    at_once_ = 0;
    swept_in_vain_ = 0;
    --room_;
    return spawning::pushed;
  }
  room_ = 0;
  at_once_ = most_pushed << std::min(swept_in_vain_++, 4);
  return spawning::at_once_in_order;
}

spawning group_state::admit_unqueued() {
#if SENNIT_EXCEPTIONS
  if (can_throw_ && stopped()) throw sennit::cancelled();
#endif
  worker* here = worker::current();
  if (here == nullptr) return admit_from_outside();
  if (keeps_positions_here()) return in_order(here->running()) ? spawning::pushed : admit_observed();
  if (any_gate_shut()) {
    unobserved_part::end_long_stretch();
    (void)answer_gates(*here, false);
    here = worker::current();
  }
  return admit_beside(*here);
}

spawning group_state::admit_beside(worker& here) {
  unqueued_children& all = others();
  note_open();
  if (all.view_here().failed() || all.seat_for(&here) == nullptr) return spawning::at_once;
  return may_queue(all) || !here.running().memory().half_left() ? spawning::unqueued : spawning::at_once;
}

bool group_state::may_queue(const unqueued_children& all) const noexcept {
  return further_ == when_many_wait::queue || all.has_room();
}

// Where the schedule finds it again.
spawning group_state::admit_observed() {
  (void)others().view_here();
  note_open();
  return spawning::at_once;
}

// Observed, what the maker spawns is counted with what it pushes; unless it is in a child, which runs out of order.
bool group_state::in_order(const fiber& strand) const noexcept {
  return maker_ == &strand && made_in_ == strand.innermost_child;
}

// The caller runs no strand.
spawning group_state::admit_from_outside() {
  unqueued_children& all = others();
  note_open();
  const worker* const seat = all.seat_for(nullptr);
  // The child may run at once, on this thread.
  if (seat != nullptr && (seat->core().lasting_reasons() & contract) != 0) check_contract();
  return may_queue(all) || nested >= most_nested ? spawning::unqueued : spawning::at_once;
}

void group_state::note_open() noexcept {
  if (!open_.load(std::memory_order_relaxed)) open_.store(true, std::memory_order_relaxed);
}

unqueued_children& group_state::others() {
  // ORD[D36] acquire: what is made; pairs with the release below.
  unqueued_children* all = others_.load(std::memory_order_acquire);
  if (all != nullptr) return *all;
  unqueued_children* const made = unqueued_children::make(home_);
  // ORD[D36] acq_rel: what is made, before another strand uses it, here and there; pairs with the acquires.
  if (others_.compare_exchange_strong(all, made, std::memory_order_acq_rel, std::memory_order_acquire))
    return *made;
  made->let_go();
  return *all;
}

void group_state::list_unqueued(std::unique_ptr<group_member, group_member::deleter> made) {
  unqueued_children& all = *others_.load(std::memory_order_relaxed);
  worker* const here = worker::current();
  spawn_view* const spawned = here != nullptr ? &all.view_here() : nullptr;
  worker& seat = here != nullptr ? *here : *all.seat_for(nullptr);
  group_member& child = *made.release();
  done_.expect();
  if (trace_cursor* const cursor = here != nullptr ? current_tls().cursor : nullptr) {
    note_counted(child);
    (void)observe_spawn(*cursor, child.where(), this);
  } else if (schedule_hooks* const by = all.outside().observed_by) {
    by->spawned_unseen(child.where(), this);
    child.counted_by_ = by->common_cursor();
  }
  if (spawned != nullptr) {
    region_state* const region = region_of_program(*here);
    if (const region_state* const part = here->running().innermost->region; part != region) {
      part->observed_by->spawned_unseen(child.where(), this);
      child.counted_by_ = part->observed_by->common_cursor();
    }
    if (region->implied && region != around_) {
      // It may end before the child, whose group is from outside.
      child.mark_stolen(&all.outside());
    } else {
      child.mark_stolen(region, &here->running());
    }
    all.add(child, *spawned, seat);
  } else {
    all.add_from_outside(child, seat);
  }
}

void group_state::push(group_member& child) {
#if SENNIT_EXCEPTIONS
  try {
    push_or_list(child);
  } catch (...) {
    child.end_(child);
    throw;
  }
#else
  push_or_list(child);
#endif
  fiber* strand = strand_.load(std::memory_order_relaxed);
  if (strand == nullptr) {
    open(*(strand = &worker::current()->running()));
    first_order_ = strand->spawns + 1;
  }
  if (load_views() != nullptr) child.before_ = exchange_views(nullptr);
  child.order = ++strand->spawns;
  child.previous = newest_child();
  newest = &child;
  if (!any_gate_shut()) [[likely]]
    return;
  if (trace_cursor* const cursor = current_tls().cursor) unobserved_part::begin_between(*cursor);
}

void group_state::open(fiber& strand) noexcept {
  open_.store(true, std::memory_order_relaxed);
  SENNIT_ASSERT(strand_.load(std::memory_order_relaxed) == nullptr && strand.open_groups != this);
  strand_.store(&strand, std::memory_order_relaxed);
  next_open = std::exchange(strand.open_groups, this);
}

void group_state::close() noexcept {
  // No exchange: only the strand itself opens and closes.
  fiber* const strand = strand_.load(std::memory_order_relaxed);
  if (strand == nullptr) return;
  strand_.store(nullptr, std::memory_order_relaxed);
  open_group** at = &strand->open_groups;
  while (*at != this) {
    SENNIT_ASSERT(*at != nullptr);  // it is among the open groups of its strand
    at = &(*at)->next_open;
  }
  *at = next_open;
}

void group_state::push_or_list(group_member& child) {
  const bool pushed = on_top();
  if (pushed) {
    child.on_deque_ = true;
    // A child that was taken at once is as good as pushed, even if its region turns out to be cancelled.
    if (detail::push(child)) {
      top_.store(load_tail(), std::memory_order_relaxed);
      return;
    }
    if (spawn_shut(child, this, can_throw_) != push_result::not_pushed) {
      note_counted(child);
      top_.store(load_tail(), std::memory_order_relaxed);
      return;
    }
    child.on_deque_ = false;  // the deque is full
    if (on_top()) begin_deque_anew();
  }
  // Its trace cursor, if it has one, knows of a child that was pushed.
  list(child, pushed);
}

// What others took at the head leaves its slots behind at the tail, as long as nothing is popped.
void group_state::begin_deque_anew() noexcept {
  worker& w = *worker::current();
  w.relocate();
  for (group_member* c = newest_child(); c != nullptr; c = pushed_before(*c)) c->on_deque_ = false;
  anchor(w);
}

void group_state::list(group_member& child, bool counted) {
  worker& w = *worker::current();
#if SENNIT_EXCEPTIONS
  if (can_throw_ && stopped(w)) throw sennit::cancelled();
#endif
  child.mark_stolen(w.frames().innermost()->region, w.frames().innermost()->strand);
  note_counted(child);
  if (trace_cursor* const cursor = current_tls().cursor; cursor != nullptr && !counted) {
    if (const donee chosen = observe_spawn(*cursor, child.where(), this); chosen.to != nullptr) {
      child.stolen().number = chosen.number;
      chosen.to->take_in(child);
      return;
    }
  }
  w.frames().listed().add_branch(child);
  w.announce_work();
}

// A strand may make a group outside an observed region and wait for it inside: the region's trace cursor knows of
// those children only that were spawned there.
bool group_state::is_counted(const group_member& child) noexcept {
  return child.counted_by_ != nullptr && child.counted_by_->by().keeps_positions();
}

void group_state::note_counted(group_member& child) noexcept {
  trace_cursor* const cursor = current_tls().cursor;
  trace_cursor* const common = cursor != nullptr ? cursor->by().common_cursor() : nullptr;
  child.counted_by_ = common != nullptr ? common : cursor;
  if (cursor != nullptr && common == nullptr) ++cursor->children;
}

namespace {

// What the child does is counted where its strand has a trace cursor.
void run_counted(const group_state* group, action body) {
  trace_cursor* const cursor = current_tls().cursor;
  if (cursor == nullptr) {
    body();
    return;
  }
  whereabouts where{};
  (void)observe_spawn(*cursor, where, group);
  const level_within inside(*cursor, where);
  body();
}

}  // namespace

// The group's own strand calls it.
void group_state::run_in_order(action body) {
  // What was thrown before lets it be dropped.
  if (thrown_latest()) [[unlikely]]
    return;
  std::exception_ptr thrown;
  {
    fiber* const strand = strand_.load(std::memory_order_relaxed);
    const in_child underway(*this, strand != nullptr ? *strand : worker::current()->running());
    thrown = thrown_by([&] { run_counted(this, body); });
  }
  if (thrown) [[unlikely]]
    note(std::move(thrown));
}

// What a child threw that ran at once: after all that the strand has spawned.
void group_state::note(std::exception_ptr thrown) noexcept {
  unqueued_children* const all = others_.load(std::memory_order_relaxed);
  view* const spawned = all != nullptr ? find_view(all) : nullptr;
  if (spawned != nullptr) {
    all->note(static_cast<spawn_view&>(*spawned), std::move(thrown));
  } else {
    keep_first(thrown_latest(), std::move(thrown));
  }
}

// Any other strand calls it, or a thread that runs none.
void group_state::run_at_once(action body) {
  worker* const here = worker::current();
  unqueued_children& all = others();
  if (here != nullptr && all.view_here().failed()) return;
  const auto counted = [&] { run_counted(this, body); };
  std::exception_ptr thrown;
  if (here == nullptr) {
    ++nested;
    thrown = thrown_by(counted);
    --nested;
    if (thrown) all.note_outside(std::move(thrown));
    return;
  }
  {
    const in_child underway(*this, here->running());
    thrown = thrown_by(counted);
  }
  if (thrown) all.note_here(std::move(thrown));
}

// --- Where a child runs elsewhere.

void group_member::begin_elsewhere() noexcept {
  fiber& strand = worker::current()->running();
  underway_ = {&group_, strand.innermost_child};
  strand.innermost_child = &underway_;
  if (unqueued_) group_.others_.load(std::memory_order_relaxed)->begin(*this);
}

fiber* group_member::end_elsewhere() noexcept {
  group_state& group = group_;
  unqueued_children* const all = unqueued_ ? group.others_.load(std::memory_order_relaxed) : nullptr;
  if (all != nullptr) {
    std::exception_ptr thrown;
    if (stolen().result == outcome::thrown) thrown = std::move(stolen().failure);
    all->close(*this, std::move(thrown));
  }
  worker::current()->running().innermost_child = underway_.outer;
  leave_branch(*this);
  if (all != nullptr) {
    if (stolen().result == outcome::dropped) group.dropped_.store(true, std::memory_order_relaxed);
    return all->finished(*this, stolen().views, group.done_);
  }
  // ORD[D3] release: the outcome; pairs with the acquire in has_ended(). The strand may end the child
  // afterwards.
  ended_.store(true, std::memory_order_release);
  return group.done_.finish();
}

// --- What has ended.

// After a child ran elsewhere.
void group_state::settle(group_member& child) noexcept {
  SENNIT_ASSERT(!child.settled && child.has_ended());
  stolen_state& stolen = child.stolen();
  if (stolen.result == outcome::dropped) dropped_.store(true, std::memory_order_relaxed);
  if (stolen.result == outcome::thrown) child.thrown = std::exchange(stolen.failure, nullptr);
  child.views_ = stolen.views;
  child.settled = true;
}

// Ends the child if it has left nothing.
bool group_state::let_go(group_member& child) noexcept {
  unqueued_children::prune(child.before_);
  unqueued_children::prune(child.views_);
  if (!child.leaves_nothing()) return false;
  child.end_(child);
  return true;
}

// Whether two children that have ended may become one. What the earlier threw comes before what children threw that the
// later one has spawned unqueued.
bool group_state::may_merge(const group_member& earlier, const group_member& later) noexcept {
  if (!earlier.settled || !later.settled) return false;
  return !earlier.thrown || (!any_children(later.before_) && !any_children(later.views_));
}

// The last of those that are kept; the next of them in the list is the one that comes after it. What has
// ended is merged with its neighbor where there are many, or goes where it leaves nothing.
void group_state::keep(group_member*& kept, group_member& child, int& count) noexcept {
  if (child.settled && let_go(child)) return;
  if (kept != nullptr && count > most_pushed / 2 && may_merge(child, *kept)) {
    group_member& later = *std::exchange(kept, static_cast<group_member*>(kept->next));
    if (!child.thrown) child.thrown = std::move(later.thrown);
    child.views_ = merge_views(child.views_, merge_views(later.before_, later.views_));
    later.end_(later);
    --count;
  }
  ++count;
  child.next = std::exchange(kept, &child);
}

// Room for more is where children have ended.
void group_state::sweep() noexcept {
  group_member* kept = nullptr;
  int count = 0;
  while (group_member* const child = take_newest_spawned()) {
    if (!child->settled && !is_counted(*child) && child->has_ended()) {
      settle(*child);
      ++away_;
    }
    keep(kept, *child, count);
  }
  room_ = most_pushed;
  while (kept != nullptr) {
    group_member& child = *std::exchange(kept, static_cast<group_member*>(kept->next));
    child.previous = newest_child();
    newest = &child;
    --room_;
  }
}

}  // namespace sennit::detail
