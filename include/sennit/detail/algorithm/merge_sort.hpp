// SPDX-License-Identifier: Apache-2.0
// Merge sort between a range and a buffer, with parallel merges. It loses no element if a comparator throws.
#pragma once

#include <sennit/detail/algorithm/first_failure.hpp>
#include <sennit/detail/algorithm/guarded.hpp>
#include <sennit/detail/algorithm/merge_from_ends.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// Comparisons of a high cost are worth a fork each.
enum class cost_of_comparison : unsigned char { low, high };

// Halves are sorted into one place and merged into the other. The longer of two runs to merge is cut in the
// middle, and the other run where that element belongs (Cormen, Leiserson, Rivest and Stein, "Introduction
// to Algorithms", 3rd edition, 27.3). A part throws nothing: it reports its failure, after it has put its
// elements back into the range, so that the buffer has none of them. So a branch that a cancelled region
// dropped needs no treatment. Precondition: moving elements does not throw; an exception there ends the
// program.
template <class Engine, class It, class Less>
class merge_sort {
 public:
  using T = std::iter_value_t<It>;

  // `memory` is for n elements, none of which is alive before or afterwards.
  merge_sort(It range, std::ptrdiff_t n, T* memory, const Less& less, first_failure& failure,
             cost_of_comparison cost = cost_of_comparison::low)
      : range_(range),
        size_(n),
        buffer_(memory),
        less_(less),
        failure_(failure),
        smallest_(cost == cost_of_comparison::low ? small_sort : 1),
        smallest_merge_(cost == cost_of_comparison::low ? small_merge : 2) {}

  // The range has its elements in any case, in order unless there was a failure.
  void run() noexcept {
    if (sort(0, size_, place::range)) std::destroy_n(buffer(), size_);
  }

  // Merges the two parts of the range, which are sorted. As above otherwise.
  void run_merge(std::ptrdiff_t middle) noexcept {
    if (move_out(0, size_)) {
      static_cast<void>(merge(buffer(), buffer() + middle, buffer() + middle, buffer() + size_, range(0)));
      std::destroy_n(buffer(), size_);
    }
  }

 private:
  enum class place : unsigned char { range, buffer };
  enum class outcome : unsigned char { dropped, failed, merged };

  // Copies of greater elements cost more than branches that the processor does not predict.
  static constexpr bool sorts_blocks = std::is_trivially_copyable_v<T> && std::copyable<T> && sizeof(T) <= 32;
  // Below this size other methods need fewer moves. It is not a grain size: so few elements take a few microseconds,
  // unless a comparison takes as long.
  static constexpr std::ptrdiff_t small_sort = sorts_blocks ? block_size : 256;
  // Below this size a binary search would cost as much as the work that it divides.
  static constexpr std::ptrdiff_t small_merge = 1024;

  T* buffer() const noexcept { return buffer_; }
  It range(std::ptrdiff_t i) const { return range_ + static_cast<std::iter_difference_t<It>>(i); }

  // Moves elements into the buffer, or leaves all of them where they are.
  bool move_out(std::ptrdiff_t from, std::ptrdiff_t to) noexcept {
    if (to - from <= 16 * small_merge) {
      T* next = buffer() + from;
      for (std::ptrdiff_t i = from; i != to; ++i, ++next)
        std::construct_at(next, std::ranges::iter_move(range(i)));
      return true;
    }
    const std::ptrdiff_t middle = from + (to - from) / 2;
    bool left = false;
    bool right = false;
    failure_.attempt(
        [&] { Engine::join([&] { left = move_out(from, middle); }, [&] { right = move_out(middle, to); }); });
    if (left && right) return true;
    if (left) take_back(from, middle, place::buffer);
    if (right) take_back(middle, to, place::buffer);
    return false;
  }

  // Sorts [from, to) into `to_place`. Returns true if it succeeded; the other place then holds moved-from
  // elements, which are all alive. Returns false if it failed, as described above.
  bool sort(std::ptrdiff_t from, std::ptrdiff_t to, place to_place) noexcept {
    if (failure_.occurred()) return false;
    if (to - from <= smallest_) {
      if constexpr (sorts_blocks) {
        return sort_copies(from, to, to_place);
      } else {
        return sort_positions(from, to, to_place);
      }
    }
    std::ptrdiff_t half = (to - from) / 2;
    if constexpr (sorts_blocks) {
      if (smallest_ == block_size) half = (half + block_size - 1) / block_size * block_size;
    }
    const std::ptrdiff_t middle = from + half;
    const place halves = to_place == place::range ? place::buffer : place::range;
    bool left = false;
    bool right = false;
    failure_.attempt([&] {
      Engine::join([&] { left = sort(from, middle, halves); }, [&] { right = sort(middle, to, halves); });
    });
    if (!left || !right) {
      if (left) take_back(from, middle, halves);
      if (right) take_back(middle, to, halves);
      return false;
    }
    const bool merged =
        to_place == place::range
            ? merge(buffer() + from, buffer() + middle, buffer() + middle, buffer() + to, range(from))
            : merge(range(from), range(middle), range(middle), range(to), buffer() + from);
    if (!merged) take_back(from, to, to_place);
    return merged;
  }

  bool sort_copies(std::ptrdiff_t from, std::ptrdiff_t to, place to_place) noexcept {
    std::uninitialized_copy(range(from), range(to), buffer() + from);
    return failure_.attempt([&] {
      if (to_place == place::range) {
        sort_few(range(from), range(to));
      } else {
        sort_few(buffer() + from, buffer() + to);
      }
    });
  }
  // If a comparison throws, all elements are there.
  template <class I>
  void sort_few(I first, I last) const {
    if (last - first == block_size) return sort_block<T>(first, first, less_);
    guarded_insertion_sort(first, last, less_);
  }

  // A merge sort, as std::stable_sort leaves its bounds where a comparison is no order.
  template <class I, class Before>
  static void sort_few_positions(I first, I last, const Before& before) {
    const std::ptrdiff_t n = last - first;
    if (n <= 16) return guarded_insertion_sort(first, last, before);
    const I middle = first + n / 2;
    sort_few_positions(first, middle, before);
    sort_few_positions(middle, last, before);
    std::array<std::uint16_t, static_cast<std::size_t>(small_sort)> copies;
    const auto end = std::copy(first, last, copies.begin());
    merge_of_runs<typename decltype(copies)::iterator, I> runs{copies.begin(), copies.begin() + n / 2,
                                                               copies.begin() + n / 2, end, first};
    runs.run(before, [](const I& to, const auto& from) { *to = *from; });
    std::copy(runs.right, runs.right_end, std::copy(runs.left, runs.left_end, runs.out));
  }

  // Positions may be lost, and each element is then moved only once.
  bool sort_positions(std::ptrdiff_t from, std::ptrdiff_t to, place to_place) noexcept {
    std::array<std::uint16_t, static_cast<std::size_t>(small_sort)> order;
    const auto last = order.begin() + (to - from);
    std::iota(order.begin(), last, std::uint16_t{0});
    const It first = range(from);
    const auto before = [&](std::uint16_t a, std::uint16_t b) { return less_(first[a], first[b]); };
    if (!failure_.attempt([&] { sort_few_positions(order.begin(), last, before); })) return false;
    T* next = buffer() + from;
    for (auto i = order.begin(); i != last; ++i, ++next)
      std::construct_at(next, std::ranges::iter_move(first + *i));
    if (to_place == place::range) std::ranges::move(buffer() + from, next, first);
    return true;
  }

  // Puts the elements of a part, which are in one place and alive in both, back into the range.
  void take_back(std::ptrdiff_t from, std::ptrdiff_t to, place from_place) noexcept {
    if (from_place == place::buffer) std::ranges::move(buffer() + from, buffer() + to, range(from));
    std::destroy(buffer() + from, buffer() + to);
  }

  // Moves both runs to `out`. They are merged if the result is true, but they are moved in any case.
  template <class From, class To>
  bool merge(From left, From left_end, From right, From right_end, To out) noexcept {
    const std::ptrdiff_t lefts = left_end - left;
    const std::ptrdiff_t rights = right_end - right;
    if (lefts + rights <= smallest_merge_) return merge_serially(left, left_end, right, right_end, out);

    From left_cut = left + lefts / 2;
    From right_cut = right + rights / 2;
    const bool cut = !failure_.occurred() && failure_.attempt([&] {
      if (lefts >= rights) {
        right_cut =
            std::partition_point(right, right_end, [&](auto&& element) { return less_(element, *left_cut); });
      } else {
        left_cut =
            std::partition_point(left, left_end, [&](auto&& element) { return !less_(*right_cut, element); });
      }
    });
    if (!cut) {
      move_both(left, left_end, right, right_end, out);
      return false;
    }
    const To out_cut = out + ((left_cut - left) + (right_cut - right));
    outcome below = outcome::dropped;
    outcome above = outcome::dropped;
    failure_.attempt([&] {
      Engine::join(
          [&] { below = merge(left, left_cut, right, right_cut, out) ? outcome::merged : outcome::failed; },
          [&] {
            above =
                merge(left_cut, left_end, right_cut, right_end, out_cut) ? outcome::merged : outcome::failed;
          });
    });
    if (below == outcome::dropped) move_both(left, left_cut, right, right_cut, out);
    if (above == outcome::dropped) move_both(left_cut, left_end, right_cut, right_end, out_cut);
    return below == outcome::merged && above == outcome::merged;
  }

  template <class From, class To>
  bool merge_serially(From left, From left_end, From right, From right_end, To out) noexcept {
    merge_of_runs<From, To> runs{left, left_end, right, right_end, out};
    const bool merged = failure_.attempt([&] {
      runs.run(less_, [](const To& to, const auto& element) { *to = std::ranges::iter_move(element); });
    });
    move_both(runs.left, runs.left_end, runs.right, runs.right_end, runs.out);
    return merged;
  }

  template <class From, class To>
  static void move_both(From left, From left_end, From right, From right_end, To out) noexcept {
    std::ranges::move(right, right_end, std::ranges::move(left, left_end, out).out);
  }

  It range_;
  std::ptrdiff_t size_;
  T* buffer_;
  const Less less_;
  first_failure& failure_;
  std::ptrdiff_t smallest_;
  std::ptrdiff_t smallest_merge_;
};

}  // namespace sennit::detail
