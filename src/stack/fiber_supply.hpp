// SPDX-License-Identifier: Apache-2.0
// The fibers that workers of a runtime have in common.
#pragma once

#include "stack/fiber_pool.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace sennit::detail {

class fiber_supply {
 public:
  fiber_supply(std::size_t stack_bytes, unsigned most_kept) noexcept
      : stack_bytes_(stack_bytes), most_kept_(most_kept), pool_(most_kept) {}

  // A suspended fiber, or a new one that will begin at `entry`; null if there is no memory for its stack.
  fiber* take(void (*entry)() noexcept) noexcept;
  void put(fiber& suspended) noexcept;
  // All but so many of a pool that the caller has for itself.
  void take_surplus(fiber_pool& from, unsigned but) noexcept;
  // Ends the fibers that nobody has needed since the last time. True: there are no more.
  bool end_unneeded() noexcept;

  std::uint64_t made() const noexcept { return made_.load(std::memory_order_relaxed); }
  // How many there are, in use or not.
  int stacks() const noexcept { return stacks_.load(std::memory_order_relaxed); }

 private:
  void drop(fiber& suspended) noexcept;

  const std::size_t stack_bytes_;
  const unsigned most_kept_;
  std::atomic<std::uint64_t> made_{0};
  std::atomic<int> stacks_{0};
  std::mutex lock_;
  fiber_pool pool_;  // under the lock
};

}  // namespace sennit::detail
