// The store-load order between an owner and whoever changes its gates, paid by the latter.
#pragma once

#include <sennit/runtime.hpp>

#include <atomic>
#include <cstdint>

namespace sennit::detail {

// What a runtime uses, never `automatic`. Throws std::invalid_argument if membarrier is asked
// for and the kernel refuses it.
steal_barrier resolve(steal_barrier asked);

// Whether the kernel has the expedited membarrier; registers the process for it.
bool membarrier_available() noexcept;

// The barriers of a runtime: after one, each running thread of the process has executed a full fence since it
// began. One at a time runs in the process, and serves all who wait for one and came before it began.
class barriers {
 public:
  // How many barriers had begun at some time. A barrier that is to order what the caller has stored has a
  // higher number.
  using ticket = std::uint64_t;
  // Of now: after all that the calling thread has stored.
  ticket now() const noexcept;
  // Returns when a barrier has ended that began after the ticket was had. All that was stored before the
  // ticket is visible to each thread after its fence, and all that a thread stored before its fence to the
  // caller.
  void settle(ticket since) noexcept;

  // --- Statistics.
  std::uint64_t issued() const noexcept { return issued_.load(std::memory_order_relaxed); }
  std::uint64_t interrupts() const noexcept { return interrupts_.load(std::memory_order_relaxed); }
  // How many threads of the runtime one interrupts, besides the caller's.
  void reaches(int threads) noexcept { reach_.store(threads, std::memory_order_relaxed); }

  // As deque::hold_for_fork().
  static void hold_for_fork() noexcept;
  static void let_go_after_fork() noexcept;

 private:
  std::atomic<std::uint64_t> issued_{0};
  std::atomic<std::uint64_t> interrupts_{0};
  std::atomic<int> reach_{0};
};

}  // namespace sennit::detail
