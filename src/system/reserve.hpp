// Memory that a thief allocates in advance, so that it does not allocate while the owner of a deque waits
// for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace sennit::detail {

// One block, large enough for the largest request so far. It belongs to one thread at a time.
class reserve {
 public:
  reserve() = default;
  reserve(const reserve&) = delete;
  reserve& operator=(const reserve&) = delete;
  ~reserve() { ::operator delete(block_); }

  // Allocates the block, so that take() need not. If there is no memory, take() will try again.
  void fill() noexcept {
    const std::size_t wanted = largest_.load(std::memory_order_relaxed);
    if (bytes_ >= wanted) [[likely]]
      return;
    ::operator delete(std::exchange(block_, ::operator new(wanted, std::nothrow)));
    bytes_ = block_ != nullptr ? wanted : 0;
  }
  // Returns null if there is no memory. Free the block by ::operator delete.
  void* take(std::size_t bytes) noexcept {
    if (bytes <= bytes_) {
      bytes_ = 0;
      return std::exchange(block_, nullptr);
    }
    std::size_t before = largest_.load(std::memory_order_relaxed);
    while (before < bytes && !largest_.compare_exchange_weak(before, bytes, std::memory_order_relaxed)) {
    }
    return ::operator new(bytes, std::nothrow);
  }

 private:
  static inline std::atomic<std::size_t> largest_{512};
  void* block_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace sennit::detail
