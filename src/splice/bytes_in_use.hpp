// SPDX-License-Identifier: Apache-2.0
// How much memory a splice has in use.
#pragma once

#include <atomic>
#include <cstddef>

namespace sennit::detail {

// Relaxed: the numbers are estimates while several strands are at work.
class bytes_in_use {
 public:
  // Negative: the bytes are no longer in use.
  void add(std::ptrdiff_t bytes) noexcept {
    const std::ptrdiff_t now = now_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::ptrdiff_t most = most_.load(std::memory_order_relaxed);
    while (now > most && !most_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
    }
  }
  std::ptrdiff_t now() const noexcept { return now_.load(std::memory_order_relaxed); }
  std::size_t most() const noexcept {
    return static_cast<std::size_t>(most_.load(std::memory_order_relaxed));
  }

 private:
  std::atomic<std::ptrdiff_t> now_{0};
  std::atomic<std::ptrdiff_t> most_{0};
};

}  // namespace sennit::detail
