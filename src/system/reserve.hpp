// SPDX-License-Identifier: Apache-2.0
// Memory that a thread allocates in advance, so that it does not allocate while it holds the lock of a deque.
#pragma once

#include "system/block_chain.hpp"

#include <atomic>
#include <cstddef>
#include <new>

namespace sennit::detail {

// It belongs to one thread at a time.
class reserve {
 public:
  // Often one thread frees what another has allocated. glibc's malloc does that without a lock up to this size; with
  // larger blocks a small join of two threads took half as long again.
  static constexpr std::size_t small_bytes = 120;
  // How many blocks are to be had: small ones, and ones as large as the largest request so far.
  struct blocks {
    std::size_t small = 1;
    std::size_t large = 1;
  };

  reserve() = default;
  reserve(const reserve&) = delete;
  reserve& operator=(const reserve&) = delete;
  ~reserve() = default;

  // Without a lock: a program may hold its allocator's lock over fork(2), which waits for those of the library. Allocates
  // what is missing, as far as there is memory.
  void fill(blocks wanted) noexcept {
    small_.fill(wanted.small, small_bytes);
    large_.fill(wanted.large, largest_.load(std::memory_order_relaxed));
  }
  void fill() noexcept { fill(blocks{}); }
  // Never allocates. Null: there is no block, or it is too small; the next fill() allocates larger ones. Free the block by
  // ::operator delete.
  void give_back(void* memory, std::size_t bytes) noexcept {
    (bytes <= small_bytes ? small_ : large_).give_back(memory);
  }
  void* take(std::size_t bytes) noexcept {
    if (bytes <= small_bytes) return small_.take(bytes);
    std::size_t before = largest_.load(std::memory_order_relaxed);
    while (before < bytes && !largest_.compare_exchange_weak(before, bytes, std::memory_order_relaxed)) {
    }
    return large_.take(bytes);
  }

 private:
  // Blocks of the same size.
  class chain {
   public:
    void fill(std::size_t count, std::size_t bytes) noexcept {
      if (bytes_ < bytes) free_.clear();
      bytes_ = bytes;
      while (free_.count() < count) {
        void* const memory = ::operator new(bytes_, std::nothrow);
        if (memory == nullptr) return;
        free_.push(memory);
      }
    }
    void give_back(void* memory) noexcept { free_.push(memory); }
    void* take(std::size_t bytes) noexcept { return bytes <= bytes_ ? free_.pop() : nullptr; }

   private:
    block_chain free_;
    std::size_t bytes_ = 0;
  };

  static inline std::atomic<std::size_t> largest_{512};
  chain small_;
  chain large_;
};

}  // namespace sennit::detail
