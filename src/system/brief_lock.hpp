// A lock that is held for a few instructions.
#pragma once

#include "system/relax.hpp"

#include <mutex>

namespace sennit::detail {

class brief_lock {
 public:
  bool try_lock() noexcept { return mutex_.try_lock(); }
  void unlock() noexcept { mutex_.unlock(); }

  // Spinning pays. But the holder may also be off its CPU: then the thread sleeps.
  void lock() noexcept {
    if (!spin()) sleep();
  }

  // The two halves of lock(). Returns true if the lock is taken.
  bool spin() noexcept {
    for (int i = 0; i < 64; ++i) {
      if (mutex_.try_lock()) return true;
      relax();
    }
    return false;
  }
  void sleep() noexcept { mutex_.lock(); }

 private:
  std::mutex mutex_;
};

}  // namespace sennit::detail
