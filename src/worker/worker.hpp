// SPDX-License-Identifier: Apache-2.0
// A worker: a thread's seat in a runtime, with the loop in which it looks for work.
#pragma once

#include "deque/mailbox.hpp"
#include "deque/worker_frames.hpp"
#include "policy/patience.hpp"
#include "policy/victim.hpp"
#include "sleep/sleepers.hpp"
#include "stack/fiber.hpp"
#include "stack/fiber_pool.hpp"
#include "system/parker.hpp"
#include "system/reserve.hpp"
#include "system/spare_blocks.hpp"

#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/frame.hpp>

#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace sennit::detail {

class schedule_hooks;
class runtime_core;

// Takes back the push of a thread that runs no strand.
void leave_outside_slots() noexcept;

// A strand or a region ends, and children that it has spawned are still open: ends the program.
[[noreturn]] void left_open();

class worker {
 public:
  worker(runtime_core& core, unsigned index);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  // The worker of the calling thread; null outside any runtime. Its answer is stale after a switch.
  SENNIT_EXPORT static worker* current() noexcept;

  // --- On the thread that the worker stands for, between its runtimes.

  // Makes the calling thread this worker and runs its loop on fibers, beginning with `first` (may be null),
  // until go_home() is called for it. The thread's own state serves the worker meanwhile.
  void serve(frame* first);
  // Takes an earlier go_home() back, before serve().
  // ORD[D12] seq_cst: before a spare reads how many calls block; see runtime_core::serve_as_spare().
  void stay() noexcept { leave_.store(false, std::memory_order_seq_cst); }
  // Makes serve() return as soon as the worker holds no strand. Any thread may call it, once a serve().
  void go_home() noexcept;

  // --- For strands of this worker's thread.

  // Returns when `branches` finishes have come to `done`; suspends the strand if need be, and says so. The
  // strand may be on another worker afterwards.
  static bool wait(completion& done, std::intptr_t branches) noexcept;
  // The strand leaves: its frames move to where thieves find them even if this thread is away.
  void promote_all() noexcept;
  // The same, but the strand stays.
  void relocate() noexcept;
  // The strand's thread is wanted elsewhere: leaves the strand for others to resume. Returns on another
  // worker.
  void hand_over_strand() noexcept;
  bool leaving() const noexcept;
  // Any thread may call it: a frame that has left its owner's deque, or never was in it, will run here.
  void take_in(frame& donated) noexcept;
  // Has the newest frame in the deque run there. False: there is no memory for that, and nothing has changed.
  bool donate_newest(worker& to, std::uint64_t number) noexcept;
  // Has the strand go on there, in its turn if that has a number. False, and still here: there is no memory
  // for that.
  bool donate_strand(worker& to, std::uint64_t number) noexcept;
  // Gives a frame that has left the deque to an idle worker, or puts it in the list.
  void pass_on(frame& handed) noexcept;
  // Workers that wait for work and may take this strand's, in the order of seats after this one; at most
  // `room`. A hint.
  unsigned find_idle(worker** found, unsigned room, color_set colors = all_colors) const noexcept;
  // Gives it a frame that has left its owner's deque, or never was in one. False: it is busy by now.
  bool post(frame& posted) noexcept;
  // After claimable frames have been listed.
  void announce_work() noexcept;
  // In a run with colors. Whether it waits for work; claim_idle(): and nobody has claimed it since it began
  // to.
  bool is_idle() const noexcept { return idle_.load(std::memory_order_relaxed); }
  bool claim_idle() noexcept { return is_idle() && idle_.exchange(false, std::memory_order_relaxed); }
  // A strand of a graph with colors that ends here has run out of items. Until it has work again, or until that time, the worker
  // takes its own color only. 0: any.
  void take_own_only_until(std::uint64_t ns) noexcept {
    own_only_until_ns_.store(ns, std::memory_order_relaxed);
  }
  // Whether the worker takes work of these colors now: its own, or any. A hint.
  bool takes(color_set colors) const noexcept;

  worker_frames& frames() noexcept { return frames_; }
  const worker_frames& frames() const noexcept { return frames_; }
  fiber& running() noexcept { return *running_; }
  runtime_core& core() const noexcept { return core_; }
  parker& parking() noexcept { return sleep_place_.call; }
  sleeping& sleep_place() noexcept { return sleep_place_; }
  // Whether the seat is a guest's, which takes work of its own region only.
  bool is_guest() const noexcept { return frames_.wish().now().within != nullptr; }
  unsigned index() const noexcept { return index_; }
  // The worker that its latest work came from. Its thread uses it.
  unsigned source() const noexcept { return source_; }
  // The worker's thread uses it. While the seat has no thread, the runtime's lock of members protects it.
  fiber_pool& pool() noexcept { return pool_; }
  // Memory for what a thief makes while the owner of a deque waits. The worker's thread uses it.
  reserve& at_hand() noexcept { return at_hand_; }
  // The worker's thread uses it.
  spare_blocks& spare() noexcept { return spare_; }

  struct counters {
    std::atomic<std::uint64_t> steals{0};
    std::atomic<std::uint64_t> suspensions{0};
    std::atomic<std::uint64_t> vain_wakes{0};
  };
  counters counts;
  pid_t thread = 0;                 // that it stands for; 0: none. Under the runtime's lock of members
  std::atomic<bool> blocks{false};  // its strand is in a call that blocks: known in the checked variant only
  unsigned trace_row = 0;           // in the file of a trace, plus 1; its thread uses it
  worker* outer = nullptr;          // which this thread was before, in another runtime

 private:
  friend struct inspection;

  static void loop() noexcept;
  wanted next_wanted() noexcept;
  bool takes_own_only() const noexcept;
  frame* join_colored() noexcept;
  static void park_waiter(fiber& left, void* waiting) noexcept;
  static void pool_left(fiber& left, void*) noexcept;
  static void leave_as_is(fiber&, void*) noexcept {}

  void switch_from(fiber& from, fiber& to, void (*then)(fiber&, void*) noexcept, void* argument) noexcept;
  fiber* take_fiber() noexcept;
  bool spin_wait(const completion& done, std::intptr_t branches) noexcept;
  frame* next_frame() noexcept;
  void begin_search() noexcept;
  frame* search() noexcept;
  void wait_at_the_mailbox() const noexcept;
  void end_search() noexcept;
  void count_searching(int more) noexcept;
  frame* look_into_mailbox() noexcept;
  frame* stop_searching() noexcept;
  frame* take_posted() noexcept;
  frame* try_steal_any(bool insist) noexcept;
  static void wait_without_stack(const completion& done, std::intptr_t branches) noexcept;
  frame* take_listed_anywhere() noexcept;
  frame* take_going_on() noexcept;
  void run(frame& claimed) noexcept;
  void run_on_top(frame& claimed) noexcept;
  void put_back(frame& claimed) noexcept;
  void enter(scope* innermost) noexcept;
  fiber* begin_and_run(frame& claimed) noexcept;
  fiber* run_observed(frame& claimed, scope& whole, schedule_hooks& by) noexcept;
  void leave_strand(fiber& next, worker* to, std::uint64_t number) noexcept;
  void sleep() noexcept;
  void woken_in_vain() noexcept;
  bool watch() noexcept;
  void give_up_wake() noexcept;
  void wake_more() noexcept;
  bool nap_until_beat() noexcept;
  bool park_until_called() noexcept;
  bool poll_until_called() noexcept;
  bool tidy_until_called() noexcept;
  void found_work() noexcept;
  static void arrive(fiber& strand) noexcept;

  runtime_core& core_;
  const unsigned index_;
  worker_frames frames_;
  fiber* running_ = nullptr;
  fiber* home_ = nullptr;  // the thread's own stack, while serving
  // Suspended in the loop, ready to go on. Strands are suspended here and resumed there, so fibers drift from
  // worker to worker: what is too many for one goes back to the runtime.
  fiber_pool pool_{4};
  reserve at_hand_;
  spare_blocks spare_;
  frame* first_ = nullptr;  // to run before anything else
  fiber* ready_ = nullptr;  // a waiter whose branches all ended as it was being parked
  policy::random_victim victims_;
  std::atomic<std::uint64_t> own_only_until_ns_{0};  // written by the worker's thread
  policy::patience patience_;
  unsigned source_;
  unsigned hint_ = no_seat;  // whom to look at first
  bool owns_wake_ = false;
  bool dealt_ = false;  // the latest frame was
  sleeping sleep_place_;
  alignas(128) std::atomic<bool> leave_{false};
  std::atomic<bool> idle_{false};
  alignas(128) mailbox mail_;
};

}  // namespace sennit::detail
