// SPDX-License-Identifier: Apache-2.0
// Whether the workers of a region leave a processor to another one of them.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace sennit::detail {

class processors {
 public:
  // `count`: of processors. `roles`: those that have worker threads. False: there is no memory.
  bool begin(unsigned count, std::uint32_t roles) noexcept;
  // The calling thread runs strands of that role.
  void serve(std::uint32_t role) noexcept;

  // Whether as many workers as there are processors would run, now or a moment ago. `busy(role)`: whether its worker has a
  // strand, or something to begin with.
  template <class Busy>
  bool all_in_use(std::uint64_t now, Busy&& busy) noexcept {
    if (const std::unique_lock guard(lock_, std::try_to_lock); guard.owns_lock() && due(now)) {
      unsigned running = 0;
      for (std::uint32_t role = 0; role < roles_ && running < count_; ++role)
        if (busy(role) && runs(role)) ++running;
      note(now, running);
    }
    return all_in_use_.load(std::memory_order_relaxed);
  }
  // When it last turned out that all were in use; 0: never.
  std::uint64_t last_all_in_use_ns() const noexcept { return last_ns_.load(std::memory_order_relaxed); }

 private:
  bool due(std::uint64_t now) const noexcept;
  bool runs(std::uint32_t role) const noexcept;
  void note(std::uint64_t now, unsigned running) noexcept;

  std::mutex lock_;  // of those who look
  std::unique_ptr<std::atomic<pid_t>[]> threads_;
  std::uint32_t roles_ = 0;
  unsigned count_ = 1;
  std::uint64_t looked_ns_ = 0;
  bool fewer_before_ = false;
  std::atomic<std::uint64_t> last_ns_{0};
  std::atomic<bool> all_in_use_{true};  // till it turns out otherwise
};

}  // namespace sennit::detail
