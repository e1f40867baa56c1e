// SPDX-License-Identifier: Apache-2.0
// What the workers of a runtime share.
#pragma once

#include "process/settings.hpp"
#include "sleep/sleepers.hpp"
#include "stack/fiber_supply.hpp"
#include "system/barrier.hpp"
#include "topology/machine.hpp"
#include "worker/coloring.hpp"
#include "worker/searching_set.hpp"
#include "worker/worker.hpp"
#include "worker/worker_listener.hpp"

#include <sennit/runtime.hpp>
#include <sennit/worker.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sennit::detail {

class runtime_core {
 public:
  static constexpr unsigned most_seats = worker_index_bound;

  explicit runtime_core(const settings& chosen);
  runtime_core(const runtime_core&) = delete;
  runtime_core& operator=(const runtime_core&) = delete;
  ~runtime_core();

  // Ends the threads: each as soon as it holds no strand. Idempotent. Regions entered later have no help.
  void stop() noexcept;

  // Whether some thread is in a region here.
  // ORD[D14] acquire: all that guests did here; pairs with the release in dismiss_guest().
  bool in_use() const noexcept { return regions_.load(std::memory_order_acquire) > 0; }

  // --- Guests. A worker for a thread that enters, and its return. Throws std::bad_alloc, or
  // std::runtime_error beyond `most_seats`.
  worker& admit_guest();  // counts as a region until it is dismissed
  void dismiss_guest(worker& guest) noexcept;

  // --- Its workers. Each seat is for one thread. The seats of the runtime's threads come first, then those of
  // guests.
  unsigned worker_count() const noexcept;
  worker& worker_at(unsigned index) const noexcept;
  unsigned workers() const noexcept { return settings_.workers; }
  unsigned processors() const noexcept { return static_cast<unsigned>(machine_.processors().size()); }
  // The workers, less the threads that the system has refused: numbers below it are those of workers.
  unsigned numbered_workers() const noexcept { return thread_seats() + 1; }
  // worker_index() of the thread in that seat: 0 for the first guest, then the runtime's threads, then all
  // others.
  unsigned number_of(const worker& w) const noexcept {
    const unsigned i = w.index();
    return i < thread_seats() ? i + 1 : i == thread_seats() ? 0 : i;
  }
  // Precondition: `number` < numbered_workers(), and there has been a guest.
  worker& numbered(unsigned number) const noexcept {
    return worker_at(number == 0 ? thread_seats() : number - 1);
  }

  // --- What was set.
  const std::optional<policy::cache_sizes>& described_caches() const noexcept {
    return machine_.described_caches();
  }
  steal_barrier barrier() const noexcept { return settings_.barrier; }
  unsigned lasting_reasons() const noexcept { return settings_.check_contract ? unsigned{contract} : 0U; }
  std::size_t deque_slots() const noexcept;
  std::uint64_t beat_ns() const noexcept { return settings_.beat_ns; }
  bool has_watchdog() const noexcept { return settings_.watchdog_ns != 0; }
  // A chunk of a loop is at most 2^-loop_sharing of what is left.
  unsigned loop_sharing() const noexcept;

  // --- Who has no work. All but asleep(): hints.
  // How many look for work just now, and which ones.
  std::atomic<int>& searching() noexcept { return searching_; }
  searching_set<most_seats>& searchers() noexcept { return searchers_; }
  // How many have no work, searching or asleep.
  std::atomic<unsigned>& waiting() noexcept { return waiting_; }
  // How many strands that have waited could go on, and do not yet.
  std::atomic<unsigned>& going_on() noexcept { return going_on_; }
  // What a strand that followed a schedule took last, on average; 0: there was none.
  std::atomic<std::uint64_t>& latest_strand_ns() noexcept { return latest_strand_ns_; }
  sleepers& asleep() noexcept { return asleep_; }

  // --- Waking: waking.cpp.
  // Makes each worker's next push wake a sleeper; true if there is such work already.
  bool arm_gates(const wanted& what) noexcept;
  bool work_in_sight(const wanted& what) noexcept;
  // The same as arm_gates() without a barrier, and without a look.
  detail::barriers::ticket ask_for_wakes() noexcept;
  detail::barriers& barriers() noexcept { return barriers_; }
  // The sum of what all workers' frames say.
  worker_frames::watched look_again() noexcept;
  // There is new work: wakes somebody for it, unless a wake is in flight. `pushed_in`: the region of the push
  // that has opened its gate; null: it is in a list.
  void call_for_work(const region_state* pushed_in) noexcept;
  // A wake has landed: its owner has found work, or leaves. While there is more work, wakes two others.
  void wake_more() noexcept;
  void falls_asleep(worker& w) noexcept;
  // True: it owns a wake.
  bool wakes_up(worker& w, bool saw_work) noexcept;

  // --- Graphs with colors.
  detail::coloring& coloring() noexcept { return coloring_; }
  // A run begins, or ends.
  void begin_colored(posted_work& run) noexcept;
  void end_colored(posted_work& run) noexcept { coloring_.remove(run); }
  void add_idle_colors(const worker& w) noexcept;
  unsigned color_count(color_kind kind) const noexcept;
  unsigned color_of(const worker& w, color_kind kind) const noexcept;
  // The worker's bit in the colors of frames, and the bits of all workers of this one's color.
  color_set bit_of(const worker& w) const noexcept { return bit_of(number_of(w) % numbered_workers()); }
  color_set bits_of_neighbors(const worker& w, color_kind kind) const noexcept;

  // --- Stacks: tidying.cpp.
  fiber_supply& fibers() noexcept { return fibers_; }
  // A worker that sleeps calls it. False: there is no need, or another worker does it.
  bool begin_tidying() noexcept;
  // Unmaps the stacks that nobody has needed since the last time. True: there are no more.
  bool tidy() noexcept;
  void end_tidying() noexcept;

  // --- While a strand blocks its thread, one more thread is at work.
  void begin_blocking() noexcept;
  void end_blocking() noexcept;

  // --- What it tells.
  // Grows whenever a strand is taken, left, or resumed. A hint.
  std::uint64_t progress() const noexcept;
  sennit::statistics statistics() const noexcept;
  unsigned regions() const noexcept { return regions_.load(std::memory_order_relaxed); }
  // Calls f with each worker that has a thread, under the lock of members.
  template <class F>
  void for_each_seat(F&& f) {
    const std::lock_guard guard(membership_);
    for (unsigned i = 0; i < worker_count(); ++i) {
      if (worker_at(i).thread != 0) f(worker_at(i));
    }
  }
  // True once: a strand here seems to wait for ever.
  bool is_first_suspicion() noexcept { return !suspected_.exchange(true, std::memory_order_relaxed); }

  // Among the runtimes that a trace has rows of; 0: none yet. Under the trace's lock.
  unsigned trace_number = 0;

  // --- Listeners. add_listener() and remove_listener() are called under no_fork.
  void add_listener(worker_listener& added) noexcept;
  void remove_listener(worker_listener& gone) noexcept;
  // Whether there is one: a hint.
  bool has_listener() const noexcept { return has_listener_.load(std::memory_order_relaxed); }
  // The worker calls it when it is about to sleep, or has slept.
  void note_rest(const worker& w) noexcept;
  void note_return(const worker& w) noexcept;

  // --- All runtimes.
  // Has the workers look whether their strands' regions have been cancelled.
  static void note_cancellation() noexcept;
  // The thread that calls fork(2) calls these around it: nobody else holds a lock that a child's strand may
  // need. In the child, let_go_after_fork() comes before the child is counted as one.
  static void hold_for_fork() noexcept;
  static void let_go_after_fork() noexcept;

  // --- A fork of the process.
  // Whether there was one since: then the threads are gone.
  bool outlived_by_fork() const noexcept;
  // Before waiting for another thread: in a child forked inside the region that thread does not exist, and
  // the program ends with a message rather than hang.
  void insist_on_threads() const noexcept;

 private:
  color_set bit_of(unsigned number) const noexcept {
    const unsigned all = numbered_workers();
    return color_bit(all <= most_colors ? number : number * most_colors / all);
  }
  unsigned color_of(unsigned number, color_kind kind) const noexcept;
  friend struct inspection;

  unsigned thread_seats() const noexcept { return thread_seats_.load(std::memory_order_relaxed); }
  static constexpr unsigned most_spares = 256;

  // The n-th thread beyond workers - 1. It is at work while more than n strands block theirs.
  struct spare {
    worker& seat;
    parker call;
  };

  worker& add_worker();
  worker& add_worker_locked();
  worker& add_returnable_locked();
  worker& guest_seat_locked();
  void return_seat_locked(worker& seat) noexcept;
  void seat_locked(worker& seat) noexcept;
  void unseat_locked(worker& seat) noexcept;
  bool add_spare() noexcept;
  unsigned wake_for_work(unsigned most) noexcept;
  unsigned wake_guests(unsigned most, const region_state* pushed_in) noexcept;
  void note_at_work() noexcept;
  bool too_many_stacks() const noexcept;
  void have_tidied() noexcept;
  bool add_thread(const char* name, unsigned number, std::function<void()> body) noexcept;
  void serve_as_worker(worker& seat) noexcept;
  void serve_as_spare(spare& self, unsigned rank) noexcept;

  const settings settings_;
  const topology::machine machine_;
  const unsigned generation_;
  runtime_core* older_core_ = nullptr;  // among those alive, under no_fork
  unsigned held_for_fork_ = 0;          // deques; under no_fork
  detail::barriers barriers_;
  sleepers asleep_;
  searching_set<most_seats> searchers_;
  detail::coloring coloring_;

  std::mutex membership_;  // of workers_, free_guests_, spares_
  std::array<std::atomic<worker*>, most_seats> workers_{};
  std::atomic<unsigned> worker_count_{0};
  worker_listener* listeners_ = nullptr;  // under membership_
  std::atomic<bool> has_listener_{false};
  // Those of the threads that the constructor started come first. While it does, they read it: none.
  std::atomic<unsigned> thread_seats_{0};
  std::vector<worker*> free_guests_;  // a heap, the lowest index on top
  std::vector<std::thread> threads_;
  std::vector<std::unique_ptr<spare>> spares_;
  std::atomic<unsigned> blocked_{0};
  alignas(128) std::atomic<int> searching_{0};
  std::atomic<unsigned> waiting_{0};
  std::atomic<unsigned> going_on_{0};
  std::atomic<std::uint64_t> latest_strand_ns_{0};
  std::atomic<unsigned> regions_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<int> seated_{0};  // how many threads are workers; written under membership_
  std::atomic<bool> tidying_{false};
  std::atomic<bool> suspected_{false};
  fiber_supply fibers_;
};

}  // namespace sennit::detail
