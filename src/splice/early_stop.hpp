// SPDX-License-Identifier: Apache-2.0
// What ends a splice before all of it has run, other than a failure of a step.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/region.hpp>

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace sennit::detail {

class early_stop {
 public:
  // Relaxed: it saves work, and nothing is concluded from it.
  bool is_set() const noexcept { return set_.load(std::memory_order_relaxed); }
  // Nothing further begins. The first reason is kept.
  void set(std::exception_ptr reason) {
    const std::lock_guard guard(lock_);
    if (!reason_) reason_ = std::move(reason);
    set_.store(true, std::memory_order_relaxed);
  }
  // What work() throws is the reason to stop: most likely there was no memory, or the region has been cancelled.
  template <class Work>
  void attempt(Work&& work) {
#if SENNIT_EXCEPTIONS
    try {
      work();
    } catch (...) {
      set(std::current_exception());
    }
#else
    work();
#endif
  }
  // For a walk, before it goes on: returns false if it is to end, also because the region has been cancelled.
  bool keep_on() {
#if SENNIT_EXCEPTIONS
    if (stop_requested()) [[unlikely]]
      set(std::make_exception_ptr(sennit::cancelled()));
#endif
    return !is_set();
  }
  // Throws the reason, if there is one. Call it when everything is over.
  void rethrow() const {
#if SENNIT_EXCEPTIONS
    if (reason_) std::rethrow_exception(reason_);
#endif
  }

 private:
  std::atomic<bool> set_{false};
  std::mutex lock_;
  std::exception_ptr reason_;
};

}  // namespace sennit::detail
