// SPDX-License-Identifier: Apache-2.0
// Which seats' workers look for work: a bit each, a cache line for 64.
#pragma once

#include <sennit/detail/assert.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace sennit::detail {

// The set is a hint: a thread that finds a worker here asks that worker.
template <unsigned Seats>
class searching_set {
 public:
  void add(unsigned seat) noexcept {
    SENNIT_ASSERT(seat < Seats);
    words_[seat / 64].bits.fetch_or(bit(seat), std::memory_order_relaxed);
  }
  void remove(unsigned seat) noexcept {
    SENNIT_ASSERT(seat < Seats);
    words_[seat / 64].bits.fetch_and(~bit(seat), std::memory_order_relaxed);
  }
  // Calls visit(seat) for each of the first `count` seats that is here, from the one behind `start` on and
  // around, until that says false.
  template <class Visit>
  void each_after(unsigned start, unsigned count, Visit&& visit) const noexcept {
    each_in(start + 1, count, visit) && each_in(0, start, visit);
  }

 private:
  static std::uint64_t bit(unsigned seat) noexcept { return std::uint64_t{1} << seat % 64; }

  template <class Visit>
  bool each_in(unsigned first, unsigned last, Visit& visit) const noexcept {
    for (unsigned word = first / 64; word * 64 < last; ++word) {
      std::uint64_t bits = words_[word].bits.load(std::memory_order_relaxed);
      if (word == first / 64) bits &= ~std::uint64_t{0} << first % 64;
      for (; bits != 0; bits &= bits - 1) {
        const unsigned seat = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
        if (seat >= last) return true;
        if (!visit(seat)) return false;
      }
    }
    return true;
  }

  struct alignas(64) word {
    std::atomic<std::uint64_t> bits{0};
  };
  std::array<word, (Seats + 63) / 64> words_{};
};

}  // namespace sennit::detail
