// The workers that sleep, and the one wake that may be in flight. docs/protocols/sleep.md has the protocol.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

namespace sennit::detail {

class worker;

class sleepers {
 public:
  // So many may sleep; may throw, so that announce() need not.
  void expect(unsigned workers);
  // The worker is about to sleep. From here on wake_one() may choose it.
  void announce(worker& w) noexcept;
  // It will not, or no longer. True if it owns the wake in flight: wake_one() chose it, or it saw work before it slept.
  bool withdraw(worker& w, bool saw_work) noexcept;
  // Wakes a sleeper, unless a wake is in flight already. True if one was woken.
  bool wake_one() noexcept;
  // As deque::hold_for_fork().
  void hold_for_fork() noexcept { lock_.lock(); }
  void let_go_after_fork() noexcept { lock_.unlock(); }
  // The owner of the wake in flight has found work, or gives up.
  void landed() noexcept;
  // A hint.
  int count() const noexcept { return count_.load(std::memory_order_relaxed); }
  // ORD[D9] After a list was unlocked; see announce(). ORD[D5] seq_cst: after landed(): whoever is not
  // counted here has yet to arm the gates, and to look. Model: models/sleep.pml.
  bool any() const noexcept { return count_.load(std::memory_order_seq_cst) > 0; }

 private:
  std::mutex lock_;
  std::vector<worker*> asleep_;
  std::atomic<int> count_{0};
  std::atomic<bool> waking_{false};  // set under the lock
};

}  // namespace sennit::detail
