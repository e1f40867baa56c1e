// SPDX-License-Identifier: Apache-2.0
// The first exception in any strand of an algorithm, kept while other strands put their elements in order.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/region.hpp>

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace sennit::detail {

// The first exception in any strand of the algorithm. An exception of the program takes precedence over a
// cancellation.
class first_failure {
 public:
  bool occurred() const noexcept { return occurred_.load(std::memory_order_relaxed); }

  // Calls work(). Returns true if work() did not throw.
  template <class Work>
  bool attempt(Work&& work) noexcept {
#if SENNIT_EXCEPTIONS
    try {
      work();
    } catch (const cancelled&) {
      keep(true);
      return false;
    } catch (...) {
      keep(false);
      return false;
    }
#else
    work();
#endif
    return true;
  }

  void rethrow() {
    if (kept_ != nullptr) std::rethrow_exception(std::exchange(kept_, nullptr));
  }

 private:
  SENNIT_COLD void keep(bool cancellation) noexcept {
    const std::scoped_lock lock(mutex_);
    if (kept_ == nullptr || (is_cancellation_ && !cancellation)) {
      kept_ = std::current_exception();
      is_cancellation_ = cancellation;
    }
    occurred_.store(true, std::memory_order_relaxed);
  }

  std::mutex mutex_;
  std::exception_ptr kept_;
  bool is_cancellation_ = false;
  std::atomic<bool> occurred_{false};
};

}  // namespace sennit::detail
