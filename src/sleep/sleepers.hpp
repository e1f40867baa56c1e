// SPDX-License-Identifier: Apache-2.0
// The workers that sleep, and the wakes that are in flight. docs/protocols/sleep.md has the protocol.
#pragma once

#include "system/parker.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>

namespace sennit::detail {

// No worker's seat.
inline constexpr unsigned no_seat = ~0U;

// A worker among those that sleep.
struct sleeping {
  parker call;
  std::atomic<bool> asleep{false};  // written under the sleepers' lock; read without it, as a hint
  // All below: under the lock.
  unsigned seen_at = no_seat;  // the seat where the waker has seen work; the sleeper's own once it is awake
  bool guest = false;          // takes work of its own region only
  sleeping* before = nullptr;
  sleeping* after = nullptr;
  // How many wakes led to the worker's latest, one after the other.
  unsigned depth = 0;
};

class sleepers {
 public:
  // The worker is about to sleep. From here on it may be chosen to be woken.
  void announce(sleeping& sleeper, bool guest) noexcept;
  // It will not, or no longer. True if it owns a wake in flight: it was chosen, or it saw work before it
  // slept.
  bool withdraw(sleeping& sleeper, bool saw_work) noexcept;

  // There is new work. Unless a wake is in flight, which will look, wakes one worker that takes any work.
  // False: only guests sleep, and the caller must look whose work it is.
  // `seen_at`: whose work.
  bool call_one(unsigned seen_at = no_seat) noexcept;
  // The caller has seen work. Wakes up to `most` workers that take any work, and returns how many it has woken. `by`: the
  // caller, if it is a worker.
  unsigned wake(unsigned most, const sleeping* by, unsigned seen_at = no_seat) noexcept;
  // The same for a guest, for whom there is some. False: it does not sleep.
  bool wake_guest(sleeping& guest) noexcept;
  // The owner of a wake in flight has found work, or gives up. True: no other is in flight.
  bool landed() noexcept;

  // The owner of a wake that came in vain keeps it, and naps: it looks for work now and then, and call_one()
  // calls it. False: somebody else does that.
  bool begin_watch(sleeping& sleeper) noexcept;
  void end_watch(sleeping& sleeper) noexcept;
  // One that sleeps for good looks around once more, and falls asleep anew.
  void nudge() noexcept;
  // A hint.
  bool watched() const noexcept { return watcher_.load(std::memory_order_relaxed) != nullptr; }

  // Called around fork(2): no thread holds the lock while the process forks.
  void hold_for_fork() noexcept { lock_.lock(); }
  void let_go_after_fork() noexcept { lock_.unlock(); }
  // ORD[D9] After a list was unlocked; see announce(). ORD[D5] seq_cst: after landed(): a sleeper that is not
  // counted here has yet to arm the gates, and to look. Model: models/sleep.pml.
  bool any() const noexcept { return count_.load(std::memory_order_seq_cst) > 0; }
  int count() const noexcept { return count_.load(std::memory_order_relaxed); }
  // How long the longest chain of wakes was, each by a worker that the one before had woken.
  unsigned deepest() const noexcept { return deepest_.load(std::memory_order_relaxed); }
  std::uint64_t wakes() const noexcept { return wakes_.load(std::memory_order_relaxed); }

 private:
  void unlink(sleeping& sleeper) noexcept;
  sleeping* take_latest() noexcept;
  void note_depth(sleeping& sleeper, unsigned depth) noexcept;

  std::mutex lock_;
  sleeping* latest_ = nullptr;  // of those that take any work; a list
  unsigned guests_ = 0;
  std::atomic<int> count_{0};                // of both
  std::atomic<unsigned> in_flight_{0};       // raised under the lock
  std::atomic<sleeping*> watcher_{nullptr};  // written under the lock
  std::atomic<std::uint64_t> wakes_{0};
  std::atomic<unsigned> deepest_{0};
};

}  // namespace sennit::detail
