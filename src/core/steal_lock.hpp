// The lock of a deque. Thieves only try it; its owner and sleepers wait for it.
#pragma once

#include "core/fork_child.hpp"
#include "core/relax.hpp"

#include <mutex>

namespace sennit::detail {

// ORD[D6] The mutex's acquire and release: gates, bounds and lists change under it only, so whoever opens a
// gate has seen what it was shut for. Model: models/deque.pml.
class steal_lock {
 public:
  bool try_lock() noexcept { return mutex_.try_lock(); }
  void unlock() noexcept { mutex_.unlock(); }

  // A thief holds the lock across a membarrier, half a microsecond: worth spinning for.
  // It may also be off its CPU: then sleep.
  void lock() noexcept {
    for (int i = 0; i < 64; ++i) {
      if (mutex_.try_lock()) return;
      relax();
    }
    // In a child forked inside a region others are gone, and a lock that one of them took since with them.
    if (generation_ != fork_generation()) end_orphan();
    mutex_.lock();
  }

 private:
  std::mutex mutex_;
  const unsigned generation_ = fork_generation();
};

}  // namespace sennit::detail
