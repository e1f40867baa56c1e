#include "core/sleepers.hpp"

#include "core/worker.hpp"

#include <algorithm>

namespace sennit::detail {

void sleepers::expect(unsigned workers) {
  const std::lock_guard guard(lock_);
  asleep_.reserve(workers);
}

void sleepers::announce(worker& w) noexcept {
  const std::lock_guard guard(lock_);
  asleep_.push_back(&w);
  // ORD[D9] seq_cst: before the sleeper looks at the lists of claimable frames; a producer looks at the count after it
  // has unlocked such a list. Whoever locks the list second sees the other. Model: models/sleep.pml.
  count_.fetch_add(1, std::memory_order_seq_cst);
}

bool sleepers::withdraw(worker& w, bool saw_work) noexcept {
  const std::lock_guard guard(lock_);
  const auto found = std::find(asleep_.begin(), asleep_.end(), &w);
  if (found == asleep_.end()) return true;
  asleep_.erase(found);
  count_.fetch_sub(1, std::memory_order_relaxed);
  // It may take one frame of several and leave others unseen: so it counts as woken, and will look again.
  if (!saw_work || waking_.load(std::memory_order_relaxed)) return false;
  waking_.store(true, std::memory_order_relaxed);
  return true;
}

bool sleepers::wake_one() noexcept {
  worker* chosen = nullptr;
  {
    // Under the lock, lest the flag be seen by a push while nobody is woken.
    const std::lock_guard guard(lock_);
    // ORD[D5] seq_cst: a push that finds a wake in flight leaves its frame to the woken worker, which looks at every
    // deque after landed(), and counts the sleepers that were announced before this. Model: models/sleep.pml.
    if (waking_.load(std::memory_order_seq_cst) || asleep_.empty()) return false;
    waking_.store(true, std::memory_order_relaxed);
    chosen = asleep_.back();
    asleep_.pop_back();
    count_.fetch_sub(1, std::memory_order_relaxed);
  }
  chosen->parking().unpark();
  return true;
}

void sleepers::landed() noexcept {
  // ORD[D5] seq_cst: before its caller arms the gates and looks at the deques. Model: models/sleep.pml.
  waking_.store(false, std::memory_order_seq_cst);
}

}  // namespace sennit::detail
