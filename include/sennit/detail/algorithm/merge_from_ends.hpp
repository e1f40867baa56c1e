// SPDX-License-Identifier: Apache-2.0
// A merge of two sorted runs from both ends at once, and a sort of few elements that consists of such merges.
#pragma once

#include <sennit/detail/algorithm/rescue.hpp>
#include <sennit/detail/config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

namespace sennit::detail {

// One of two pointers, without a branch whatever the compiler thinks of it.
template <class T>
SENNIT_INLINE T* chosen_pointer(bool second, T* a, T* b) {
  const auto one = reinterpret_cast<std::uintptr_t>(a);
  const auto other = reinterpret_cast<std::uintptr_t>(b);
  return reinterpret_cast<T*>(one ^ ((one ^ other) & -static_cast<std::uintptr_t>(second)));
}
template <class It>
SENNIT_INLINE auto chosen(bool second, const It& a, const It& b) {
  if constexpr (std::contiguous_iterator<It>) {
    return chosen_pointer(second, std::to_address(a), std::to_address(b));
  } else {
    return second ? b : a;
  }
}

// Two sorted runs and the place for their merge. Of equal elements those of the left run come first.
template <class From, class To>
struct merge_of_runs {
  From left;
  From left_end;
  From right;
  From right_end;
  To out;

  // Calls put(place, element) for elements in order, by their iterators or pointers, until one run is exhausted: what is left of the
  // other one belongs at `out`. If less(right, left) throws, what is left of both runs has its room at `out`. The two ends
  // give the processor two independent chains of comparisons; and no branch depends on the elements, because the
  // processor could not predict it.
  template <class Less, class Put>
  SENNIT_INLINE void run(const Less& less, const Put& put) {
    To out_end = out + ((left_end - left) + (right_end - right));
    const auto take_first = [&] {
      const bool from_right = less(*right, *left);
      put(out, chosen(from_right, left, right));
      right += from_right;
      left += !from_right;
      ++out;
    };
    const auto take_last = [&] {
      const bool from_left = less(*(right_end - 1), *(left_end - 1));
      --out_end;
      left_end -= from_left;
      right_end -= !from_left;
      put(out_end, chosen(from_left, right_end, left_end));
    };
    for (;;) {
      // Neither run can be exhausted within this number of steps.
      const std::ptrdiff_t steps = std::min<std::ptrdiff_t>(left_end - left, right_end - right) / 2;
      if (steps == 0) break;
      for (std::ptrdiff_t i = 0; i != steps; ++i) {
        take_first();
        take_last();
      }
    }
    while (left != left_end && right != right_end) take_first();
  }
};

inline constexpr std::ptrdiff_t block_size = 32;

// Sorts a block of elements that are copied as bytes are; equal ones keep their order. No branch depends on an element. The
// numbers of comparisons and copies are always the same, so that the loops are unrolled.
template <class T, class Less>
class block_sort {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::ptrdiff_t size = block_size;

  explicit block_sort(const Less& less) : less_(less) {}

  // Copies the elements from [from, from + size) in order to `to`, which may be `from`. If a comparison throws, all elements
  // are at `from` and, in some order, at `to`.
  template <class From, class To>
  void run(From from, To to) {
    T* const fours = reinterpret_cast<T*>(memory_);
    T* const others = fours + size;
    std::uninitialized_copy_n(from, size, others);
    for (std::ptrdiff_t i = 0; i != size; i += 4) sort_four(others + i, fours + i);
    for (std::ptrdiff_t i = 0; i != size; i += 8) merge_halves<8>(fours + i, others + i);
    for (std::ptrdiff_t i = 0; i != size; i += 16) merge_halves<16>(others + i, fours + i);
    rescue rest(fours, to, static_cast<std::size_t>(size));
    merge_halves<size>(fours, to);
    rest.n = 0;
  }

 private:
  // Two pairs, then the lesser and the greater ones of these; two elements are left, which are compared last.
  SENNIT_INLINE void sort_four(T* x, T* to) const {
    const bool first_descends = less_(x[1], x[0]);
    const bool second_descends = less_(x[3], x[2]);
    T* const low = x + first_descends;
    T* const high = x + !first_descends;
    T* const other_low = x + 2 + second_descends;
    T* const other_high = x + 2 + !second_descends;
    const bool lowest_is_other = less_(*other_low, *low);
    const bool highest_is_first = less_(*other_high, *high);
    T* const lowest = chosen(lowest_is_other, low, other_low);
    T* const highest = chosen(highest_is_first, other_high, high);
    // Of the first pair before those of the second one.
    T* const left = chosen(lowest_is_other, chosen(highest_is_first, high, other_low), low);
    T* const right = chosen(highest_is_first, chosen(lowest_is_other, other_low, high), other_high);
    const bool swapped = less_(*right, *left);
    std::construct_at(to, *lowest);
    std::construct_at(to + 1, *chosen(swapped, left, right));
    std::construct_at(to + 2, *chosen(swapped, right, left));
    std::construct_at(to + 3, *highest);
  }

  // Merges the halves of N elements. Each half of the result takes at most all of one half, so that no end needs a look.
  template <std::ptrdiff_t N, class To>
  SENNIT_INLINE void merge_halves(T* x, To to) const {
    const To begin = to;
    T* left = x;
    T* right = x + N / 2;
    T* left_end = right;
    T* right_end = x + N;
    To to_end = to + N;
    for (std::ptrdiff_t i = 0; i != N / 2; ++i) {
      const bool from_right = less_(*right, *left);
      *to = *chosen(from_right, left, right);
      right += from_right;
      left += !from_right;
      ++to;
      const bool from_left = less_(*(right_end - 1), *(left_end - 1));
      left_end -= from_left;
      right_end -= !from_left;
      --to_end;
      *to_end = *chosen(from_left, right_end, left_end);
    }
    // The two directions meet, unless the comparison is no order.
    if (left != left_end || right != right_end) [[unlikely]]
      std::copy_n(x, N, begin);
  }

  const Less& less_;
  alignas(T) std::byte memory_[2 * size * sizeof(T)];
};

template <class T, class From, class To, class Less>
void sort_block(From from, To to, const Less& less) {
  block_sort<T, Less>(less).run(from, to);
}

}  // namespace sennit::detail
