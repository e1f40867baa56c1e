// A lock of task flows.
#pragma once

#include "system/relax.hpp"

#include <sched.h>

#include <atomic>

namespace sennit::detail {

// Held for some nanoseconds.
class flow_lock {
 public:
  void lock() noexcept {
    // ORD[D60] acquire: what the holder before has written; pairs with the release in unlock().
    while (held_.exchange(true, std::memory_order_acquire)) wait();
  }
  // ORD[D60] release: what the holder has written, and the tasks that it passes on, for the next holder; pairs with the acquire in lock().
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  void wait() noexcept {
    for (unsigned i = 1; held_.load(std::memory_order_relaxed); ++i) {
      // The holder may be off its CPU.
      if (i % 64 == 0) {
        sched_yield();
      } else {
        relax();
      }
    }
  }
  std::atomic<bool> held_{false};
};

}  // namespace sennit::detail
