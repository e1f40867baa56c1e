// SPDX-License-Identifier: Apache-2.0
// An array that grows while other threads read it: its elements never move.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/zeros.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sennit::detail {

// Elements are of a trivial type, and their bytes are zero until written. Each piece is as long as all
// pieces before it together.
template <class T>
  requires(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>)
class growing {
 public:
  growing() = default;
  growing(const growing&) = delete;
  growing& operator=(const growing&) = delete;
  ~growing() {
    for (unsigned k = 0; k < pieces; ++k) {
      if (T* const piece = pieces_[k].load(std::memory_order_relaxed)) return_zeros(piece, bytes(k));
    }
  }

  // Precondition: ensure() has been called for the element, and the call happened before this one.
  SENNIT_INLINE T& operator[](std::uint32_t i) noexcept {
    const unsigned k = piece_of(i);
    // Relaxed: a caller that knows of the element knows of its piece.
    return pieces_[k].load(std::memory_order_relaxed)[std::uint64_t{i} + least - (least << k)];
  }
  // Makes the piece that has the element. Throws std::bad_alloc. Any thread may call it.
  void ensure(std::uint32_t i) {
    const unsigned k = piece_of(i);
    // ORD[D26] acquire: the piece's pages; pairs with the release of who made it.
    if (pieces_[k].load(std::memory_order_acquire) != nullptr) return;
    T* const piece = static_cast<T*>(reserve_zeros(bytes(k)));
    T* none = nullptr;
    // ORD[D26] release: the piece's pages; acquire, on failure, those of another's.
    if (!pieces_[k].compare_exchange_strong(none, piece, std::memory_order_release,
                                            std::memory_order_acquire))
      return_zeros(piece, bytes(k));
  }

  bool has(std::uint32_t i) const noexcept {
    return pieces_[piece_of(i)].load(std::memory_order_relaxed) != nullptr;
  }
  // Visits the elements of all pieces, written or not. Precondition: no other thread uses the array.
  template <class F>
  void for_each(F&& f) {
    for (unsigned k = 0; k < pieces; ++k) {
      T* const piece = pieces_[k].load(std::memory_order_relaxed);
      for (std::uint64_t i = 0; piece != nullptr && i < least << k; ++i) f(piece[i]);
    }
  }

 private:
  static constexpr std::uint64_t least = 256;  // a block of numbers
  static constexpr unsigned width_of_least = 9;
  static constexpr unsigned pieces = 25;  // for 2^32 elements
  SENNIT_INLINE static unsigned piece_of(std::uint32_t i) noexcept {
    return static_cast<unsigned>(std::bit_width(std::uint64_t{i} + least)) - width_of_least;
  }
  static std::size_t bytes(unsigned k) noexcept { return (least << k) * sizeof(T); }

  std::atomic<T*> pieces_[pieces]{};
};

// Numbers from 1, given out in blocks: a strand's supply of elements of a growing array.
class SENNIT_EXPORT numbering {
 public:
  static constexpr std::uint32_t block = 256;

  class supply {
   public:
    // The next number. Calls ensure() with the first number of each block. Throws std::bad_alloc beyond 2^32
    // numbers.
    template <class Ensure>
    SENNIT_INLINE std::uint32_t next(numbering& all, Ensure&& ensure) {
      if (next_ % block == 0) [[unlikely]] {
        const std::uint32_t first = all.take_block();
        ensure(first);
        next_ = first == 0 ? 1 : first;
      }
      return next_++;
    }

   private:
    std::uint32_t next_ = 0;
  };

 private:
  std::uint32_t take_block();
  std::atomic<std::uint64_t> blocks_{0};
};

}  // namespace sennit::detail
