// SPDX-License-Identifier: Apache-2.0
// The failure that counts, of calls or trees whose steps run in another order than that of the loop.
#pragma once

#include <sennit/detail/config.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

namespace sennit::detail {

// A failure is at a place in a call. The order of the loop is: by calls, and in a call by places. Of all failures that are
// noted, the first one in that order counts. What comes after it in that order does not run any more.
class earliest_failure {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  // The call that has failed. This number only gets less. Relaxed: it saves work, and nothing is concluded from it.
  std::uint32_t call() const noexcept { return call_.load(std::memory_order_relaxed); }
  // Whether what is at that place is not to be done.
  bool is_void(std::uint32_t call, std::uint64_t place) const {
    if (call < this->call()) [[likely]]
      return false;
    const std::lock_guard guard(lock_);
    return !comes_first(call, place);
  }
  void note(std::uint32_t call, std::uint64_t place, std::exception_ptr failure) {
    const std::lock_guard guard(lock_);
    if (!comes_first(call, place)) return;
    failure_ = std::move(failure);
    place_ = place;
    call_.store(call, std::memory_order_relaxed);
  }
  // Returns what work() returns. If work() throws, notes that, and returns false.
  template <class Work>
  bool guard([[maybe_unused]] std::uint32_t call, [[maybe_unused]] std::uint64_t place, Work&& work) {
#if SENNIT_EXCEPTIONS
    try {
      return work();
    } catch (...) {
      note(call, place, std::current_exception());
      return false;
    }
#else
    return work();
#endif
  }
  // Throws the failure, if there is one. Call it when everything is over.
  void rethrow() const {
#if SENNIT_EXCEPTIONS
    if (failure_) std::rethrow_exception(failure_);
#endif
  }

 private:
  bool comes_first(std::uint32_t call, std::uint64_t place) const noexcept {
    return call < this->call() || (call == this->call() && place < place_);
  }

  std::atomic<std::uint32_t> call_{none};
  mutable std::mutex lock_;
  std::uint64_t place_ = 0;
  std::exception_ptr failure_;
};

}  // namespace sennit::detail
