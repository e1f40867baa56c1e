// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.hpp"

#include "observe/trace_cursor.hpp"
#include "process/perturb.hpp"
#include "stack/float_environment.hpp"
#include "stack/strand_state.hpp"
#include "system/relax.hpp"
#include "worker/polling.hpp"
#include "worker/runtime_core.hpp"
#include "worker/unobserved_part.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/misuse.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/worker.hpp>

#include <sched.h>

#include <new>
#include <utility>

namespace sennit::detail {

namespace {

// Shared by all threads that run no strand: their pushes end here, meet the shut gate and are taken back.
constinit slot outside_slots[2];

constinit thread_local worker* this_worker [[gnu::tls_model("initial-exec")]] = nullptr;

void set_current(worker* w) noexcept { this_worker = w; }

}  // namespace

}  // namespace sennit::detail

extern "C" {

constinit thread_local sennit::detail::worker_tls sennit_tls{.tail = {sennit::detail::outside_slots},
                                                             .views = nullptr,
                                                             .waiting = nullptr,
                                                             .loop_mask = 0,
                                                             .loop_sharing = 0,
                                                             .cursor = nullptr,
                                                             .random = 0x9e3779b97f4a7c15,
                                                             .gate = nullptr,
                                                             .setting = nullptr,
                                                             .apart = {},
                                                             .limit = {nullptr},
                                                             .head_gate = {nullptr},
                                                             .limit_beneath = {nullptr},
                                                             .head_gate_beneath = {nullptr},
                                                             .tail_seen = {nullptr}};
}

namespace sennit::detail {

worker_tls& current_tls() noexcept {
  // An address the compiler cannot connect with an earlier one: the thread may be another.
  worker_tls* tls = &sennit_tls;
  asm volatile("" : "+r"(tls));
  return *tls;
}

[[gnu::noinline]] worker* worker::current() noexcept {
  worker* w = this_worker;
  asm volatile("" : "+r"(w));
  return w;
}

void leave_outside_slots() noexcept { current_tls().tail.store(outside_slots, std::memory_order_relaxed); }

worker::worker(runtime_core& core, unsigned index)
    : core_(core),
      index_(index),
      frames_(core.deque_slots(), core.barriers(), core.barrier() == steal_barrier::fence,
              core.lasting_reasons(), core.beat_ns(), core.workers()),
      victims_(index + 1),
      source_(index) {}

void worker::serve(frame* first) {
  worker_tls& tls = current_tls();
  outer = current();
  fiber home;
  fiber* const start = take_fiber();
  if (start == nullptr) fail_for_memory();
  if (outer != nullptr) {
    // The thread leaves its other runtime for a while: nothing of its strand may be reachable through its
    // tls.
    outer->promote_all();
    outer->frames_.detach(false);
  }
  SENNIT_ASSERT(ready_ == nullptr && first_ == nullptr);
  home_ = &home;
  running_ = &home;
  first_ = first;
  set_current(this);
  tls.loop_sharing = core_.loop_sharing();
  tls.waiting = &core_.waiting();
  frames_.attach(tls);

  switch_from(home, *start, &leave_as_is, nullptr);

  frames_.detach(true);
  // What was donated to this seat meanwhile is anybody's now, and so are strands that were left here.
  if (frames_.listed().any_donation() || frames_.listed().any()) announce_work();
  set_current(outer);
  if (outer != nullptr) {
    tls.loop_sharing = outer->core_.loop_sharing();
    tls.waiting = &outer->core_.waiting();
    outer->running_->find_gate();
    outer->frames_.attach(tls);
    outer->frames_.enter(outer->running_->innermost);
  } else {
    tls.limit.store(nullptr, std::memory_order_relaxed);
    tls.limit_beneath.store(nullptr, std::memory_order_relaxed);
    leave_outside_slots();
  }
}

void worker::go_home() noexcept {
  // ORD[D7] seq_cst: all that the region's strands did is visible to the thread that comes home; pairs with
  // the acquire in leaving(). Model: models/home.pml. And for a spare, see runtime_core::serve_as_spare().
  leave_.store(true, std::memory_order_seq_cst);
  if (current() == this) return;  // its loop comes next
  core_.insist_on_threads();
  parking().unpark();
  // It may run a strand of somebody else's region, which the next push must hand over.
  frames_.ask_to_leave();
}

bool worker::leaving() const noexcept {
  // ORD[D7] acquire: pairs with the release in go_home(). Model: models/home.pml.
  return leave_.load(std::memory_order_acquire);
}

void worker::switch_from(fiber& from, fiber& to, void (*then)(fiber&, void*) noexcept,
                         void* argument) noexcept {
  running_ = &to;
  from.switch_to(to, then, argument);
}

// On the stack of every fiber of the pool. Wherever it says `w`, the thread may have changed since.
void worker::loop() noexcept {
  for (;;) {
    worker* w = current();
    fiber& self = *w->running_;
    if (w->ready_ != nullptr) {
      fiber& waiter = *std::exchange(w->ready_, nullptr);
      // Claimed while the waiter spun. It must not wait for the end of what the waiter does next, and
      // would be lost where that spins again.
      if (w->first_ != nullptr) w->put_back(*std::exchange(w->first_, nullptr));
      w->switch_from(self, waiter, &pool_left, nullptr);
      continue;
    }
    w->core_.waiting().fetch_add(1, std::memory_order_relaxed);
    frame* const claimed = w->next_frame();
    w->core_.waiting().fetch_sub(1, std::memory_order_relaxed);
    if (claimed == nullptr) {
      w->switch_from(self, *w->home_, &pool_left, nullptr);
      continue;
    }
    w->run(*claimed);
  }
}

// What has been claimed and not begun.
void worker::put_back(frame& claimed) noexcept {
  if (claimed.stolen().donated) {
    (void)frames_.listed().donate(claimed);
  } else {
    frames_.listed().add(claimed);
  }
  announce_work();
}

void worker::run(frame& claimed) noexcept {
  fiber& self = *running_;
  // The branch ends maybe on another thread than it began on.
  if (fiber* const waiter = begin_and_run(claimed))
    current()->switch_from(self, *waiter, &pool_left, nullptr);
}

// A strand begins here, or goes on.
void worker::enter(scope* innermost) noexcept {
  if (frames_.enter(innermost, core_.searching().load(std::memory_order_relaxed) > 0, core_.asleep().any()))
    announce_work();
}

// Returns the strand that waited for the branch, if the caller must resume it.
fiber* worker::begin_and_run(frame& claimed) noexcept {
  region_state* const region = claimed.stolen().region;
  scope whole{region, frames_.bottom(), nullptr, running_, 0, __builtin_frame_address(0)};
  SENNIT_ASSERT(frames_.empty());
  running_->innermost = &whole;
  running_->branch = &claimed;
  schedule_hooks* const observed_by = claimed.stolen().is_strand ? nullptr : hooks_of(region);
  if (observed_by != nullptr) [[unlikely]]
    return run_observed(claimed, whole, *observed_by);
  enter(&whole);
  enter_float_environment(*region);
  return claimed.run();
}

fiber* worker::run_observed(frame& claimed, scope& whole, schedule_hooks& by) noexcept {
  trace_cursor cursor(by);
  exchange_cursor(&cursor);
  by.begin(cursor, &claimed);
  enter(&whole);
  enter_float_environment(*whole.region);
  return claimed.run();
}

void left_open() {
  misuse("children of a task_group are still open where the function that spawned them ends: call the "
         "group's wait() in it, or spawn them from a group that is made in it.");
}

void leave_branch(frame& branch) noexcept {
  if (branch.stolen().in_place) [[unlikely]]
    return;
  // Not written without need: the strand that waits reads the frame next, on another processor.
  if (load_views() != nullptr) branch.stolen().views = exchange_views(nullptr);
  if (!branch.stolen().is_strand) {
    unobserved_part::end_stretch();
    if (trace_cursor* const cursor = exchange_cursor(nullptr)) cursor->by().end(*cursor, &branch);
  }
  worker& here = *worker::current();
  if (here.running().open_groups != nullptr) left_open();
  here.running().innermost = nullptr;
  here.running().branch = nullptr;
  here.frames().leave();
}

void worker::pool_left(fiber& left, void*) noexcept {
  worker& here = *current();
  if (!here.pool_.put(left)) here.core_.fibers().put(left);
}

fiber* worker::take_fiber() noexcept {
  if (fiber* const pooled = pool_.take()) return pooled;
  return core_.fibers().take(&worker::loop);
}

namespace {

struct waiting {
  completion& done;
  std::intptr_t branches;
};

}  // namespace

void worker::park_waiter(fiber& left, void* argument) noexcept {
  const waiting w = *static_cast<waiting*>(argument);
  perturb();
  // Once it is declared, the waiter may be running elsewhere: nothing of it is touched below, unless it is
  // ours.
  SENNIT_ASSERT(current()->ready_ == nullptr);
  if (w.done.await(w.branches, left)) current()->ready_ = &left;
}

// Branches that run side by side end side by side. So a strand that waits looks for work itself for about as
// long as its suspension would take, and then need not be resumed by another worker. True if the branches
// have ended.
bool worker::spin_wait(const completion& done, std::intptr_t branches) noexcept {
  SENNIT_ASSERT(first_ == nullptr);  // a frame that has been claimed would be lost
  for (unsigned rounds = 0; rounds < policy::patience::rounds_before_suspending; ++rounds) {
    if (done.done(branches)) return true;
    // To look around would disturb the very worker that is about to finish.
    bool looks = rounds >= policy::patience::rounds_before_looking;
    if (events_awaited()) [[unlikely]] {
      poll_events();
      if (done.done(branches)) return true;
      // What the event lets go on lies here, and others wait for what it does.
      looks |= frames_.listed().any();
    }
    if (looks) first_ = try_steal_any(false);
    if (first_ != nullptr || leaving()) return false;
    relax();
  }
  return false;
}

bool worker::wait(completion& done, std::intptr_t branches) noexcept {
  if (done.done(branches)) return false;
  worker& w = *current();
  w.core_.insist_on_threads();
  fiber& self = *w.running_;
  // What lies in the deque can be had meanwhile; where nothing does, the strand has not left if its wait is
  // short.
  const bool left = !w.frames_.empty();
  if (left) w.promote_all();
  fiber* const next = w.take_fiber();
  if (next == nullptr) {
    if (left) arrive(self);
    wait_without_stack(done, branches);
    return true;
  }
  if (w.spin_wait(done, branches)) {
    pool_left(*next, nullptr);
    if (left) arrive(self);
    return false;
  }
  if (!left) w.promote_all();
  w.counts.suspensions.fetch_add(1, std::memory_order_relaxed);
  waiting state{done, branches};
  self.awaited = branches;
  w.switch_from(self, *next, &park_waiter, &state);
  self.awaited = 0;
  arrive(self);
  return true;
}

// No memory for a stack to look for work on. What is listed runs on top of the strand, so that nothing that
// it waits for stays where nobody is left to take it. See docs/protocols/join.md, "Without memory for a
// stack".
void worker::wait_without_stack(const completion& done, std::intptr_t branches) noexcept {
  while (!done.done(branches)) {
    worker& here = *current();
    frame* next = nullptr;
    if (here.running_->memory().half_left()) {
      next = here.frames_.listed().take_donated(here);
      if (next == nullptr) next = here.take_listed_anywhere();
    }
    if (next != nullptr) {
      here.run_on_top(*next);
    } else {
      sched_yield();
    }
  }
}

frame* worker::take_listed_anywhere() noexcept {
  const unsigned count = core_.worker_count();
  for (unsigned i = 0; i < count; ++i) {
    if (frame* const listed =
            core_.worker_at((index_ + i) % count).frames_.listed().take(frames_.wish().now(), true)) {
      return listed;
    }
  }
  return nullptr;
}

void worker::run_on_top(frame& claimed) noexcept {
  fiber& self = *running_;
  scope* const below = self.innermost;
  frame* const branch = self.branch;
  view* const views = exchange_views(nullptr);
  trace_cursor* const cursor = exchange_cursor(nullptr);
  child_underway* const child = std::exchange(self.innermost_child, nullptr);
  open_group* const open = std::exchange(self.open_groups, nullptr);
  unobserved_part* const unobserved = std::exchange(self.unobserved, nullptr);
  const unsigned loops = std::exchange(self.loops, 0);
  frames_.forget_positions();
  fiber* const waiter = begin_and_run(claimed);
  exchange_views(views);
  exchange_cursor(cursor);
  self.innermost = below;
  self.branch = branch;
  self.innermost_child = child;
  self.open_groups = open;
  self.unobserved = unobserved;
  self.loops = loops;
  enter_float_environment(*below->region);
  if (waiter != nullptr) {
    // It goes on here, and this strand wherever there is a stack for that.
    current()->leave_strand(*waiter, nullptr, nowhere);
  } else {
    arrive(self);
  }
}

// The strand goes on, on an empty deque, maybe another worker's.
void worker::arrive(fiber& strand) noexcept {
  worker& here = *current();
  move_scopes(strand.innermost, here.frames_.bottom());
  here.enter(strand.innermost);
}

namespace {

// A strand that was left at a fork, as a frame that another worker can claim.
class strand_frame : public frame_with_state {
 public:
  explicit strand_frame(fiber& strand) noexcept : frame_with_state(&resume), strand_(strand) {}

 private:
  static fiber* resume(frame& base) noexcept {
    leave_branch(base);
    return &static_cast<strand_frame&>(base).strand_;
  }
  fiber& strand_;
};

}  // namespace

void worker::hand_over_strand() noexcept {
  promote_all();
  leave_strand(*home_, nullptr, nowhere);
}

bool worker::donate_strand(worker& to, std::uint64_t number) noexcept {
  fiber* const next = take_fiber();
  if (next == nullptr) return false;
  promote_all();
  leave_strand(*next, &to, number);
  return true;
}

// The deque is empty. Returns where somebody has claimed the strand: `to`, or any other worker.
void worker::leave_strand(fiber& next, worker* to, std::uint64_t number) noexcept {
  SENNIT_ASSERT(frames_.empty());
  fiber& self = *running_;
  strand_frame rest(self);
  struct leaving {
    frame_with_state& rest;
    region_state* region;
    worker* to;
    std::uint64_t number;
  } state{rest, self.innermost->region, to, number};
  switch_from(
      self, next,
      [](fiber&, void* argument) noexcept {
        const leaving l = *static_cast<leaving*>(argument);
        worker& here = *current();
        stolen_state& stolen = l.rest.mark_stolen(l.region);
        stolen.is_strand = true;
        stolen.number = l.number;
        if (l.to != nullptr) {
          l.to->take_in(l.rest);
        } else {
          here.frames_.listed().add(l.rest);
          here.announce_work();
        }
      },
      &state);
  arrive(self);
}

void worker::take_in(frame& donated) noexcept {
  if (frames_.listed().donate(donated)) announce_work();
  parking().unpark();
}

bool worker::donate_newest(worker& to, std::uint64_t number) noexcept {
  const worker_frames::split_off split_off = frames_.split_off_newest(at_hand_);
  if (split_off.newest == nullptr) return false;
  split_off.newest->stolen().number = number;
  if (split_off.listed) announce_work();
  to.take_in(*split_off.newest);
  return true;
}

void worker::promote_all() noexcept {
  if (frames_.promote_all(at_hand_)) announce_work();
}

void worker::relocate() noexcept {
  promote_all();
  frames_.enter(running_->innermost);
}

}  // namespace sennit::detail

namespace sennit {

// Not inlined, also where the linker could: between two calls the strand may have changed threads.
[[gnu::noinline]] unsigned worker_index() noexcept {
  detail::worker* const w = detail::worker::current();
  return w != nullptr ? w->core().number_of(*w) : 0;
}

[[gnu::noinline]] unsigned worker_count() {
  if (detail::worker* const w = detail::worker::current()) return w->core().workers();
  // The number of workers of the first default runtime: that of static destructors has a single worker.
  static const unsigned of_default = runtime::default_runtime().workers();
  return of_default;
}

}  // namespace sennit
