// SPDX-License-Identifier: Apache-2.0
#include "sleep/sleepers.hpp"

#include "policy/wakes.hpp"

#include <sennit/detail/assert.hpp>

namespace sennit::detail {

void sleepers::announce(sleeping& sleeper, bool guest) noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(!sleeper.asleep.load(std::memory_order_relaxed));
  sleeper.asleep.store(true, std::memory_order_relaxed);
  sleeper.guest = guest;
  if (guest) {
    ++guests_;
  } else {
    sleeper.before = nullptr;
    sleeper.after = latest_;
    if (latest_ != nullptr) latest_->before = &sleeper;
    latest_ = &sleeper;
  }
  // ORD[D9] seq_cst: before the sleeper looks at the lists of claimable frames; a producer looks at the count
  // after it has unlocked such a list. The one that locks the list second sees the other. Model:
  // models/sleep.pml.
  count_.fetch_add(1, std::memory_order_seq_cst);
}

void sleepers::unlink(sleeping& sleeper) noexcept {
  SENNIT_ASSERT(sleeper.asleep.load(std::memory_order_relaxed));
  SENNIT_ASSERT(count_.load(std::memory_order_relaxed) > 0);
  sleeper.asleep.store(false, std::memory_order_relaxed);
  count_.fetch_sub(1, std::memory_order_relaxed);
  if (sleeper.guest) {
    SENNIT_ASSERT(guests_ > 0);
    --guests_;
    return;
  }
  SENNIT_ASSERT((sleeper.before != nullptr ? sleeper.before->after : latest_) == &sleeper);
  (sleeper.before != nullptr ? sleeper.before->after : latest_) = sleeper.after;
  if (sleeper.after != nullptr) sleeper.after->before = sleeper.before;
}

bool sleepers::withdraw(sleeping& sleeper, bool saw_work) noexcept {
  const std::lock_guard guard(lock_);
  if (!sleeper.asleep.load(std::memory_order_relaxed)) return true;
  unlink(sleeper);
  // It may take one frame of several and leave others unseen: so it counts as woken, and will look again.
  if (!saw_work || in_flight_.load(std::memory_order_relaxed) > 0) return false;
  in_flight_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

sleeping* sleepers::take_latest() noexcept {
  sleeping* const chosen = latest_;
  if (chosen == nullptr) return nullptr;
  unlink(*chosen);
  in_flight_.fetch_add(1, std::memory_order_relaxed);
  wakes_.fetch_add(1, std::memory_order_relaxed);
  return chosen;
}

void sleepers::note_depth(sleeping& sleeper, unsigned depth) noexcept {
  sleeper.depth = depth;
  if (depth > deepest_.load(std::memory_order_relaxed)) deepest_.store(depth, std::memory_order_relaxed);
}

bool sleepers::call_one(unsigned seen_at) noexcept {
  sleeping* chosen = nullptr;
  {
    // Under the lock: no push may see the count while nobody is woken.
    const std::lock_guard guard(lock_);
    // ORD[D5] seq_cst: a push that finds a wake in flight leaves its frame to the woken worker, which looks
    // at every deque after landed(), and counts the sleepers that were announced before this. Model:
    // models/sleep.pml.
    const bool in_flight = in_flight_.load(std::memory_order_seq_cst) > 0;
    switch (policy::who_is_called(in_flight, watched())) {
      case policy::called::nobody: return true;
      case policy::called::watcher:
        chosen = watcher_.load(std::memory_order_relaxed);
        watcher_.store(nullptr, std::memory_order_relaxed);
        wakes_.fetch_add(1, std::memory_order_relaxed);
        break;
      case policy::called::latest_sleeper:
        chosen = take_latest();
        if (chosen == nullptr) return guests_ == 0;
        break;
    }
    chosen->seen_at = seen_at;
    note_depth(*chosen, 1);
  }
  chosen->call.unpark();
  return true;
}

unsigned sleepers::wake(unsigned most, const sleeping* by, unsigned seen_at) noexcept {
  for (unsigned woken = 0; woken < most; ++woken) {
    sleeping* chosen = nullptr;
    {
      const std::lock_guard guard(lock_);
      chosen = take_latest();
      if (chosen == nullptr) return woken;
      chosen->seen_at = seen_at;
      note_depth(*chosen, (by != nullptr ? by->depth : 0) + 1);
    }
    chosen->call.unpark();
  }
  return most;
}

bool sleepers::wake_guest(sleeping& guest) noexcept {
  {
    const std::lock_guard guard(lock_);
    if (!guest.asleep.load(std::memory_order_relaxed)) return false;
    unlink(guest);
    in_flight_.fetch_add(1, std::memory_order_relaxed);
    wakes_.fetch_add(1, std::memory_order_relaxed);
  }
  guest.call.unpark();
  return true;
}

bool sleepers::landed() noexcept {
  // ORD[D5] seq_cst: before its caller arms the gates and looks at the deques. Model: models/sleep.pml.
  const unsigned before = in_flight_.fetch_sub(1, std::memory_order_seq_cst);
  SENNIT_ASSERT(before > 0);
  return before == 1;
}

bool sleepers::begin_watch(sleeping& sleeper) noexcept {
  const std::lock_guard guard(lock_);
  if (watcher_.load(std::memory_order_relaxed) != nullptr) return false;
  watcher_.store(&sleeper, std::memory_order_relaxed);
  return true;
}

void sleepers::nudge() noexcept {
  const std::lock_guard guard(lock_);
  if (latest_ != nullptr) latest_->call.unpark();
}

void sleepers::end_watch(sleeping& sleeper) noexcept {
  const std::lock_guard guard(lock_);
  if (watcher_.load(std::memory_order_relaxed) == &sleeper)
    watcher_.store(nullptr, std::memory_order_relaxed);
}

}  // namespace sennit::detail
