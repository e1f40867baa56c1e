#include "core/constructs.hpp"
#include "core/course.hpp"
#include "core/failure.hpp"
#include "core/runtime_core.hpp"
#include "core/spawned_apart.hpp"
#include "core/views.hpp"
#include "core/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/group.hpp>
#include <sennit/detail/misuse.hpp>
#include <sennit/join.hpp>

#include <sched.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace sennit::detail {

namespace {

// So many children of a strand are kept for others before it runs some itself: enough for thieves, and few enough for a
// cache.
constexpr int most_pushed = 256;
// Of a thread without a stack of the library's.
constexpr unsigned most_nested = 64;
constinit thread_local unsigned nested [[gnu::tls_model("initial-exec")]] = 0;

#if SENNIT_EXCEPTIONS
bool stopped() noexcept {
  worker* const w = worker::current();
  return w != nullptr && stopped(*w);
}
#endif

// While the strand is in a child of the group.
class in_child {
 public:
  in_child(const group_state& group, fiber& strand) noexcept
      : strand_(strand), underway_{&group, strand.innermost_child} {
    strand.innermost_child = &underway_;
  }
  ~in_child() { strand_.innermost_child = underway_.outer; }
  in_child(const in_child&) = delete;
  in_child& operator=(const in_child&) = delete;

 private:
  fiber& strand_;
  child_underway underway_;
};

bool any_children(const view* list) noexcept {
  while (list != nullptr && !list->holds_children()) list = list->next;
  return list != nullptr;
}

// On the deque, whose other frames are another strand's if the group is not on the stack of this one, or older than what
// lies on it.
bool belongs_here(const group_state& group, worker& w) noexcept {
  const stack& memory = w.running().memory();
  const auto* const here = reinterpret_cast<const char*>(&group);
  return here > static_cast<const char*>(__builtin_frame_address(0)) &&
         here < static_cast<const char*>(memory.top());
}

}  // namespace

// Whether the deque is as the group left it, so that a push goes on top of its children and a pop takes the newest.
// The strand's frames may have left it meanwhile (it was suspended, say), and others may lie on top. For other strands
// it never is: epochs end with strands.
SENNIT_INLINE bool group_state::on_top() const noexcept {
  worker* const w = worker::current();
  return w != nullptr && w == place_.load(std::memory_order_relaxed) &&
         epoch_.load(std::memory_order_relaxed) == w->frames().epoch() &&
         top_.load(std::memory_order_relaxed) == load_tail();
}

group_state::group_state() noexcept : room_(most_pushed), unwinding_(std::uncaught_exceptions()) {
  worker* const w = worker::current();
  // A group that is not on the stack may be used where frames lie on the deque that are younger.
  if (w != nullptr && belongs_here(*this, *w)) anchor(*w);
}

group_state::~group_state() {
  if (spawned_apart* const others = others_.load(std::memory_order_relaxed)) others->let_go();
}

void group_state::anchor(worker& place) noexcept {
  place_.store(&place, std::memory_order_relaxed);
  epoch_.store(place.frames().epoch(), std::memory_order_relaxed);
  top_.store(load_tail(), std::memory_order_relaxed);
}

// --- Spawning.

spawning group_state::admit() {
  if (!on_top()) return admit_apart();
  if (latest().thrown) [[unlikely]]
    return spawning::at_once_in_order;  // it is dropped
  if (room_ > 0) [[likely]] {
    --room_;
    return spawning::pushed;
  }
  return admit_when_full();
}

spawning group_state::admit_when_full() {
  worker& w = *worker::current();
  if (any_gate_shut()) [[unlikely]] {
    // Observed, it might be recorded where it runs.
    if (current_words().strand != nullptr) return spawning::pushed;
#if SENNIT_EXCEPTIONS
    if (stopped(w)) throw sennit::cancelled();
#endif
    (void)answer_gates(w);
    if (!on_top()) return admit_apart();
  }
  if (!w.running().memory().half_left()) [[unlikely]]
    return spawning::pushed;
  // Those that were taken are looked at now and then, or where none are left for others.
  if (at_once_ > 0 && !w.frames().empty()) [[likely]] {
    --at_once_;
    return spawning::at_once_in_order;
  }
  sweep();
  if (!on_top()) return admit_apart();
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

spawning group_state::admit_apart() {
  worker* const here = worker::current();
#if SENNIT_EXCEPTIONS
  if (stopped()) throw sennit::cancelled();
#endif
  spawned_apart& all = others();
  if (!open_.load(std::memory_order_relaxed)) open_.store(true, std::memory_order_relaxed);
  if (here == nullptr) {
    (void)all.place_for(nullptr);
    return all.has_room() || nested >= most_nested ? spawning::apart : spawning::at_once;
  }
  const spawn_view& spawned = all.view_here();
  if (spawned.failed() || current_words().strand != nullptr || all.place_for(here) == nullptr)
    return spawning::at_once;
  return all.has_room() || !here->running().memory().half_left() ? spawning::apart : spawning::at_once;
}

spawned_apart& group_state::others() {
  spawned_apart* all = others_.load(std::memory_order_acquire);
  if (all != nullptr) return *all;
  spawned_apart* const made = spawned_apart::make(place_.load(std::memory_order_relaxed));
  // ORD[D36] acq_rel, and acquire above: what is made, before another strand uses it.
  if (others_.compare_exchange_strong(all, made, std::memory_order_acq_rel, std::memory_order_acquire))
    return *made;
  made->let_go();
  return *all;
}

void group_state::list_apart(std::unique_ptr<group_member, group_member::deleter> made) {
  spawned_apart& all = *others_.load(std::memory_order_relaxed);
  worker* const here = worker::current();
  spawn_view* const spawned = here != nullptr ? &all.view_here() : nullptr;
  worker& place = here != nullptr ? *here : *all.place_for(nullptr);
  group_member& child = *made.release();
  done_.expect();
  if (spawned != nullptr) {
    child.depart(here->running().innermost->region);
    all.add(child, *spawned, place);
  } else {
    all.add_from_outside(child, place);
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
  if (strand == nullptr) open(*(strand = &worker::current()->running()));
  if (load_views() != nullptr) child.before_ = exchange_views(nullptr);
  child.order_ = ++strand->spawns;
  child.previous = std::exchange(newest_, &child);
}

void group_state::open(fiber& strand) noexcept {
  open_.store(true, std::memory_order_relaxed);
  strand_.store(&strand, std::memory_order_relaxed);
  next_open_ = std::exchange(strand.open_groups, this);
}

void group_state::close() noexcept {
  fiber* const strand = strand_.exchange(nullptr, std::memory_order_relaxed);
  if (strand == nullptr) return;
  group_state** at = &strand->open_groups;
  while (*at != this) at = &(*at)->next_open_;
  *at = next_open_;
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
    if (spawn_shut(child) != push_result::apart) {
      note_counted(child);
      top_.store(load_tail(), std::memory_order_relaxed);
      return;
    }
    child.on_deque_ = false;  // the deque is full
    if (on_top()) begin_deque_anew();
  }
  // Its course, if it has one, knows of a child that was pushed.
  list(child, pushed);
}

// What others took at the head leaves its slots behind at the tail, as long as nothing is popped.
void group_state::begin_deque_anew() noexcept {
  worker& w = *worker::current();
  w.relocate();
  for (group_member* c = newest_; c != nullptr; c = static_cast<group_member*>(c->previous))
    c->on_deque_ = false;
  anchor(w);
}

void group_state::list(group_member& child, bool counted) {
  worker& w = *worker::current();
#if SENNIT_EXCEPTIONS
  if (stopped(w)) throw sennit::cancelled();
#endif
  child.depart(w.frames().innermost()->region);
  note_counted(child);
  if (course* const strand = current_words().strand; strand != nullptr && !counted) {
    if (const donee away = observe_spawn(*strand, child.where()); away.to != nullptr) {
      child.away().number = away.number;
      away.to->take_in(child);
      return;
    }
  }
  w.frames().list_branch(child);
  w.announce_work();
}

// A strand may make a group outside an observed region and wait for it inside: the region's course knows of
// those children only that were spawned there.
void group_state::note_counted(group_member& child) noexcept {
  child.counted_by_ = current_words().strand;
  if (child.counted_by_ != nullptr) ++child.counted_by_->children;
}

// By the strand whose chain it is.
void group_state::run_in_order(action body) {
  // What was thrown before lets it be dropped.
  if (latest().thrown) [[unlikely]]
    return;
  std::exception_ptr thrown;
  {
    fiber* const strand = strand_.load(std::memory_order_relaxed);
    const in_child underway(*this, strand != nullptr ? *strand : worker::current()->running());
#if SENNIT_EXCEPTIONS
    try {
      body();
    } catch (const sennit::cancelled&) {
      dropped_.store(true, std::memory_order_relaxed);
    } catch (...) {
      thrown = std::current_exception();
    }
#else
    body();
#endif
  }
  if (thrown) [[unlikely]]
    note(std::move(thrown));
}

// What a child threw that ran at once: after all that the strand has spawned.
void group_state::note(std::exception_ptr thrown) noexcept {
  spawned_apart* const all = others_.load(std::memory_order_relaxed);
  view* const spawned = all != nullptr ? find_view(all) : nullptr;
  if (spawned != nullptr) {
    all->note(static_cast<spawn_view&>(*spawned), std::move(thrown));
  } else {
    keep_first(latest().thrown, std::move(thrown));
  }
}

// By any other.
void group_state::run_at_once(action body) {
  worker* const here = worker::current();
  spawned_apart& all = others();
  if (here != nullptr && all.view_here().failed()) return;
  std::exception_ptr thrown;
  const auto call = [&] {
    course* const strand = current_words().strand;
    if (strand == nullptr) {
      body();
      return;
    }
    whereabouts where{};
    (void)observe_spawn(*strand, where);
    const level_within inside(*strand, where);
    body();
  };
  const auto run = [&] {
#if SENNIT_EXCEPTIONS
    try {
      call();
    } catch (const sennit::cancelled&) {
      dropped_.store(true, std::memory_order_relaxed);
    } catch (...) {
      thrown = std::current_exception();
    }
#else
    call();
#endif
  };
  if (here == nullptr) {
    ++nested;
    run();
    --nested;
    if (thrown) all.note_outside(std::move(thrown));
    return;
  }
  {
    const in_child underway(*this, here->running());
    run();
  }
  if (thrown) all.note(all.view_here(), std::move(thrown));
}

// --- Where a child runs elsewhere.

void group_member::begin_elsewhere() noexcept {
  if (apart_) group_.others_.load(std::memory_order_relaxed)->started();
  fiber& strand = worker::current()->running();
  underway_ = {&group_, strand.innermost_child};
  strand.innermost_child = &underway_;
}

fiber* group_member::end_elsewhere() noexcept {
  worker::current()->running().innermost_child = underway_.outer;
  leave_branch(*this);
  group_state& group = group_;
  if (apart_) {
    if (away().result == outcome::dropped) group.dropped_.store(true, std::memory_order_relaxed);
    views_ = away().views;
    std::exception_ptr thrown;
    if (away().result == outcome::thrown) thrown = std::move(away().failure);
    group.others_.load(std::memory_order_relaxed)->finished(*this, std::move(thrown));
  } else {
    // ORD[D3] release: the outcome; pairs with the acquire in has_ended(). The strand may end the child afterwards.
    ended_.store(true, std::memory_order_release);
  }
  return group.done_.finish();
}

// --- What has ended.

// After a child ran elsewhere.
void group_state::settle(group_member& child) noexcept {
  departure& away = child.away();
  if (away.result == outcome::dropped) dropped_.store(true, std::memory_order_relaxed);
  if (away.result == outcome::thrown) child.thrown = std::exchange(away.failure, nullptr);
  child.views_ = away.views;
  child.settled_ = true;
}

// The last of those that are kept; the next of them in the list is the one that comes after it. What has ended is merged
// with its neighbor, or goes where it leaves nothing.
void group_state::keep(group_member*& kept, group_member& child) noexcept {
  if (child.settled_) {
    spawned_apart::prune(child.before_);
    spawned_apart::prune(child.views_);
    if (leaves_nothing(child)) {
      child.end_(child);
      return;
    }
  }
  // What it threw comes before what children threw that the later one has spawned apart.
  const auto separate = [&](const group_member& later) {
    return child.thrown && (any_children(later.before_) || any_children(later.views_));
  };
  if (child.settled_ && kept != nullptr && kept->settled_ && !separate(*kept)) {
    group_member& later = *std::exchange(kept, static_cast<group_member*>(kept->next));
    if (!child.thrown) child.thrown = std::move(later.thrown);
    child.views_ = merge_views(child.views_, merge_views(later.before_, later.views_));
    later.end_(later);
  }
  child.next = std::exchange(kept, &child);
}

// Room for more is where children have ended.
void group_state::sweep() noexcept {
  group_member* kept = nullptr;
  while (group_member* const child = take_newest_spawned()) {
    if (!child->settled_ && child->counted_by_ == nullptr && child->has_ended()) {
      settle(*child);
      ++away_;
    }
    keep(kept, *child);
  }
  room_ = most_pushed;
  while (kept != nullptr) {
    group_member& child = *std::exchange(kept, static_cast<group_member*>(kept->next));
    child.previous = std::exchange(newest_, &child);
    --room_;
  }
}

// --- Waiting.

void group_state::check_waiter(worker* here) const {
  fiber* const strand = strand_.load(std::memory_order_relaxed);
  fiber* const mine = here != nullptr ? &here->running() : nullptr;
  if (strand != nullptr && strand != mine) {
    misuse("a task_group is waited for, or ended, by another strand than the one whose children are open in "
           "it: call its "
           "wait() where it was made.");
  }
  for (child_underway* c = mine != nullptr ? mine->innermost_child : nullptr; c != nullptr; c = c->outer) {
    if (c->group == this) {
      misuse("a child of a task_group waits for the group, and so for itself: only the strand that made the "
             "group calls "
             "its wait().");
    }
  }
}

void group_state::wait() {
  if (!open_.load(std::memory_order_relaxed)) return;
  worker* const here = worker::current();
  check_waiter(here);
  if (waited_for_.exchange(true, std::memory_order_relaxed))
    misuse("two strands wait for a task_group at the same time.");
  const bool anchored = on_top();
  spawned_apart* const all = others_.load(std::memory_order_relaxed);
  if (all != nullptr) all->recall();
  // They come after those of all children.
  view* const latest = all != nullptr && here != nullptr ? gather(here->running()) : exchange_views(nullptr);
  auto inside = [&] { collect(latest); };
  // Without the means for a region, children that nobody has taken run here, on the thread's own stack.
  if (here != nullptr || !all->borrows() || !attempt<std::exception>([&] { run_region(nullptr, inside); }))
    inside();
  if (anchored) anchor(*worker::current());
  report();
}

// What was spawned apart may be kept by a child of another group, which comes after it.
view* group_state::gather(fiber& strand) noexcept {
  const spawned_apart& all = *others_.load(std::memory_order_relaxed);
  view* gathered = exchange_views(nullptr);
  for (group_state* g = strand.open_groups; g != nullptr; g = g->next_open_) {
    if (g == this) continue;
    for (group_member* c = g->newest_; c != nullptr; c = static_cast<group_member*>(c->previous)) {
      for (view** const list : {&c->views_, &c->before_}) {
        while (spawn_view* const found = all.extract(*list).release()) {
          found->next = nullptr;
          gathered = chain_views(found, gathered);
        }
      }
    }
  }
  return gathered;
}

void group_state::collect(view* latest) noexcept {
  worker* const place = worker::current();
  // Other frames lie on top of the children in the deque: have them moved to where children can be taken singly.
  if (newest_ != nullptr && !on_top()) place->relocate();
  group_member* kept = nullptr;
  {
    std::optional<in_child> underway;
    if (place != nullptr) underway.emplace(*this, place->running());
    kept = collect_pushed();
    // What is spawned below is not pushed: its place is not after what was.
    place_.store(nullptr, std::memory_order_relaxed);
    help(latest);
  }
  await_all(latest);
  // In the serial order.
  keep_first(failure_, std::move(front_.thrown));
  while (kept != nullptr) {
    group_member& child = *std::exchange(kept, static_cast<group_member*>(kept->next));
    if (!child.settled_) {
      settle(child);
      if (course* const counted = child.counted_by_) counted->by().joined_child(*counted, child);
    }
    add_in_order(child);
  }
  add_in_order(latest);
  if (spawned_apart* const all = others_.load(std::memory_order_relaxed)) add_in_order(all->stray_list());
}

// Returns those that left something behind, or run elsewhere.
group_member* group_state::collect_pushed() noexcept {
  group_member* kept = nullptr;
  while (group_member* const child = take_newest_spawned()) {
    if (room_ < most_pushed) ++room_;
    if (child->counted_by_ != nullptr) [[unlikely]]
      --child->counted_by_->children;
    if (child->settled_) [[unlikely]] {
    } else if (take_back(*child)) [[likely]] {
      // What comes before it comes before its own children, too.
      store_views(std::exchange(child->before_, nullptr));
      run_here(*child, child->thrown);
      child->views_ = load_views();
      if (leaves_nothing(*child)) [[likely]] {
        child->end_(*child);
        continue;
      }
      store_views(nullptr);
      child->settled_ = true;
    } else {
      ++away_;
      if (child->counted_by_ == nullptr && child->has_ended()) settle(*child);
    }
    keep(kept, *child);
  }
  return kept;
}

// With what others were to take.
void group_state::help(view* latest) noexcept {
  spawned_apart* const all = others_.load(std::memory_order_relaxed);
  if (all == nullptr) return;
  while (group_member* const child = all->claim_newest(latest)) {
    all->started();
    std::exception_ptr thrown;
    run_here(*child, thrown);
    child->views_ = exchange_views(nullptr);
    all->finished(*child, std::move(thrown));
    (void)done_.finish();
  }
}

void group_state::await_all(view* latest) noexcept {
  worker* const place = worker::current();
  spawned_apart* const all = others_.load(std::memory_order_relaxed);
  const std::intptr_t finishes = away_ - held;
  const auto wait = [&] {
    if (away_ == 0 && all == nullptr) return false;
    if (place != nullptr && (all == nullptr || all->at_home(*worker::current())))
      return worker::wait(done_, finishes);
    // Whoever ends the last child is in another runtime, and cannot resume a strand of this one.
    while (!done_.done(finishes)) {
      help(latest);
      sched_yield();
    }
    return false;
  };
  if (course* const strand = place != nullptr ? current_words().strand : nullptr) {
    // The wait is a construct, too.
    whereabouts where{};
    if (strand->push(where)) (void)strand->by().reached(*strand, where);
    strand->pop();
    wait_observed(*strand, where, wait,
                  [&](pause waited) { strand->by().regrouped(*strand, where, waited); });
  } else {
    (void)wait();
  }
  if (away_ != 0 || all != nullptr) done_.again(finishes, held);
}

bool group_state::take_back(group_member& child) noexcept {
  if (!child.on_deque_ || !on_top()) return deque::reclaim(child);
  const bool mine = pop() || take_newest(*worker::current()) || deque::reclaim(child);
  top_.store(load_tail(), std::memory_order_relaxed);
  return mine;
}

void group_state::run_here(group_member& child, std::exception_ptr& thrown) noexcept {
#if SENNIT_EXCEPTIONS
  // One that comes before it threw.
  if (!child.apart_ && latest().thrown) [[unlikely]]
    return;
  if (any_gate_shut() && stopped()) [[unlikely]] {
    dropped_.store(true, std::memory_order_relaxed);
    return;
  }
  try {
    call_here(child);
  } catch (const sennit::cancelled&) {
    dropped_.store(true, std::memory_order_relaxed);
  } catch (...) {
    thrown = std::current_exception();
  }
#else
  call_here(child);
#endif
}

void group_state::call_here(group_member& child) {
  course* const strand = any_gate_shut() ? current_words().strand : nullptr;
  if (strand == nullptr) [[likely]] {
    child.run_here_(child);
  } else if (strand == child.counted_by_) {
    const level_within inside(*strand, child.where());
    child.run_here_(child);
  } else {
    const level_apart inside(*strand);
    child.run_here_(child);
  }
}

void group_state::keep_first(std::exception_ptr& kept, std::exception_ptr thrown) noexcept {
  if (!kept) kept = std::move(thrown);
}

// Of a child that has ended, and ends here.
void group_state::add_in_order(group_member& child) noexcept {
  add_in_order(child.before_);
  add_in_order(child.views_);
  keep_first(failure_, std::move(child.thrown));
  child.end_(child);
}

// What a strand left: first what its children did.
void group_state::add_in_order(view* list) noexcept {
  if (spawned_apart* const all = others_.load(std::memory_order_relaxed)) {
    while (const std::unique_ptr<spawn_view> spawned = all->extract(list)) {
      add_in_order(spawned->list());
      if (!spawned->empty())
        misuse("a strand that is no child of a task_group spawns while the group is waited for.");
    }
  }
  append_views(list);
}

void group_state::add_in_order(group_link& ring) noexcept {
  spawned_apart& all = *others_.load(std::memory_order_relaxed);
  for (;;) {
    std::exception_ptr thrown;
    group_member* const child = all.take_oldest(ring, thrown);
    keep_first(failure_, std::move(thrown));
    if (child == nullptr) return;
    add_in_order(*child);
  }
}

void group_state::report() {
  close();
  blocks_.release();
  room_ = most_pushed;
  at_once_ = 0;
  away_ = 0;
  if (spawned_apart* const all = others_.load(std::memory_order_relaxed)) all->return_place();
  open_.store(false, std::memory_order_relaxed);
  waited_for_.store(false, std::memory_order_relaxed);
  [[maybe_unused]] std::exception_ptr failure = std::exchange(failure_, nullptr);
  [[maybe_unused]] const bool dropped = dropped_.exchange(false, std::memory_order_relaxed);
#if SENNIT_EXCEPTIONS
  if (failure) std::rethrow_exception(std::move(failure));
  if (dropped) throw sennit::cancelled();
#endif
}

void group_state::end() {
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
