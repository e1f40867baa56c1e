#include "core/sleepers.hpp"

#include "core/worker.hpp"

#include <algorithm>

namespace sennit::detail {

void sleepers::announce(worker& w) {
  const std::lock_guard guard(lock_);
  asleep_.push_back(&w);
  // ORD[D9] seq_cst: before the sleeper looks at the lists of claimable frames; a producer looks at the count after it
  // has unlocked such a list. Whoever locks the list second sees the other. Model: models/sleep.pml.
  count_.fetch_add(1, std::memory_order_seq_cst);
}

bool sleepers::withdraw(worker& w) noexcept {
  const std::lock_guard guard(lock_);
  const auto found = std::find(asleep_.begin(), asleep_.end(), &w);
  if (found == asleep_.end()) return true;
  asleep_.erase(found);
  count_.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

bool sleepers::wake_one() noexcept {
  // ORD[D5] acq_rel: a push that finds a wake in flight leaves its frame to the woken worker, which looks at every
  // deque after landed(). Model: models/sleep.pml.
  if (waking_.exchange(true, std::memory_order_acq_rel)) return false;
  worker* chosen = nullptr;
  {
    const std::lock_guard guard(lock_);
    if (!asleep_.empty()) {
      chosen = asleep_.back();
      asleep_.pop_back();
      count_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  if (chosen == nullptr) {
    landed();
    return false;
  }
  chosen->parking().unpark();
  return true;
}

void sleepers::landed() noexcept {
  // ORD[D5] seq_cst: before its caller arms the gates and looks at the deques. Model: models/sleep.pml.
  waking_.store(false, std::memory_order_seq_cst);
}

}  // namespace sennit::detail
