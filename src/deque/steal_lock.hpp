// SPDX-License-Identifier: Apache-2.0
// The lock of a deque. A thief that wants a latent frame only tries it. Its owner and sleepers wait for it, and so does a
// thief that wants a listed frame.
#pragma once

#include "process/fork_child.hpp"
#include "system/relax.hpp"

#include <mutex>

namespace sennit::detail {

// ORD[D6] The mutex's acquire and release: gates, bounds and lists change under it only, so a thread
// that opens a gate has seen what it was shut for. Model: models/deque.pml.
class steal_lock {
 public:
  bool try_lock() noexcept { return lock_.try_lock(); }
  void unlock() noexcept { lock_.unlock(); }

  // A thief holds the lock across a membarrier, half a microsecond: worth spinning for.
  void lock() noexcept {
    for (int i = 0; i < 64; ++i) {
      if (lock_.try_lock()) return;
      relax();
    }
    // In a child forked inside a region others are gone, and a lock that one of them took since with them.
    if (generation_ != fork_generation()) end_orphan();
    lock_.lock();
  }

 private:
  std::mutex lock_;
  const unsigned generation_ = fork_generation();
};

}  // namespace sennit::detail
