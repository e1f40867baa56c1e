// SPDX-License-Identifier: Apache-2.0
// A lock that is held for a few instructions.
#pragma once

#include "system/relax.hpp"

#include <sennit/detail/config.hpp>

#include <sched.h>

#include <atomic>

namespace sennit::detail {

// To let it go is a plain store, because those who wait look for themselves. A mutex needs another exchange there, to see
// whether somebody sleeps.
class brief_lock {
 public:
  void lock() noexcept {
    // ORD[D60] acquire: what the thread that had it wrote; pairs with unlock().
    while (taken_.exchange(true, std::memory_order_acquire)) wait();
  }
  void unlock() noexcept {
    // ORD[D60] release: what this thread wrote; pairs with lock().
    taken_.store(false, std::memory_order_release);
  }

 private:
  SENNIT_COLD void wait() const noexcept {
    // The thread that has it may be off its CPU.
    for (unsigned i = 1; taken_.load(std::memory_order_relaxed); ++i) {
      if (i % 64 == 0) {
        sched_yield();
      } else {
        relax();
      }
    }
  }
  std::atomic<bool> taken_{false};
};

}  // namespace sennit::detail
