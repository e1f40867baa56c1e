// SPDX-License-Identifier: Apache-2.0
// The order between stores and later loads of an owner, for threads that change the owner's gates. These
// threads pay for the order.
#pragma once

#include <atomic>
#include <cstdint>

namespace sennit::detail {

// Whether the kernel has the expedited membarrier. Registers the process for it.
bool membarrier_available() noexcept;

// The barriers of a runtime. During a barrier, each running thread of the process executes a full fence. One
// barrier at a time runs in the process; it serves all threads that were waiting before it began.
class barriers {
 public:
  // The number of barriers that had begun at some time. A barrier that orders the caller's stores has a
  // higher number.
  using ticket = std::uint64_t;
  // The present ticket, taken after all stores of the calling thread.
  ticket now() const noexcept;
  // Returns when a barrier that began after the ticket has ended. Each thread then sees, after its fence,
  // all stores from before the ticket. The caller sees all stores that a thread made before its fence.
  void settle(ticket since) noexcept;

  // --- Statistics.
  std::uint64_t issued() const noexcept { return issued_.load(std::memory_order_relaxed); }
  std::uint64_t interrupts() const noexcept { return interrupts_.load(std::memory_order_relaxed); }
  // Sets the number of the runtime's threads that a barrier interrupts, without the caller's.
  void reaches(int threads) noexcept { reach_.store(threads, std::memory_order_relaxed); }

  // Called around fork(2): no thread holds the lock while the process forks.
  static void hold_for_fork() noexcept;
  static void let_go_after_fork() noexcept;

 private:
  std::atomic<std::uint64_t> issued_{0};
  std::atomic<std::uint64_t> interrupts_{0};
  std::atomic<int> reach_{0};
};

}  // namespace sennit::detail
