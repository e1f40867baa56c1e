// SPDX-License-Identifier: Apache-2.0
// The spaces of a nest of loops: an extent for each dimension, or a triangle; and tiles, the parts of both.
#pragma once

#include <sennit/detail/config.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <utility>

namespace sennit {

namespace detail {

// Converts the index to the type in which all nests count. Throws std::out_of_range if the index does not
// fit.
SENNIT_EXPORT [[noreturn]] void refuse_index();
template <std::integral I>
constexpr std::ptrdiff_t to_index(I value) {
  if (!std::in_range<std::ptrdiff_t>(value)) refuse_index();
  return static_cast<std::ptrdiff_t>(value);
}

}  // namespace detail

// The indices [begin, end) of one loop of a nest. A single number n means [0, n). An end before the begin
// means no indices.
//
// Example:
//   #include <sennit/nest.hpp>
//
//   double* clear_inner(double* a, long n, sennit::extent rows) {
//     sennit::parallel_for_nest({rows, {1, n - 1}}, [=](auto i, auto j) { a[i * n + j] = 0; });
//     return a;
//   }
struct extent {
  constexpr extent() = default;
  template <std::integral I>
  constexpr extent(I n) : end(detail::to_index(n)) {}
  template <std::floating_point N>
  constexpr extent(N) {
    static_assert(!std::floating_point<N>, "extent: a loop of a nest counts in integers; convert the number");
  }
  template <std::integral I, std::integral J>
  constexpr extent(I first, J last) : begin(detail::to_index(first)), end(detail::to_index(last)) {}

  std::ptrdiff_t begin = 0;
  std::ptrdiff_t end = 0;
  // The loop is not parallel: see in_order().
  bool in_order = false;
};

// A loop of a nest that is not parallel. For fixed indices of the other loops, its iterations run one after
// the other in ascending order, and each sees what the earlier ones wrote. An order of the nest may still
// cut this loop (as `mm-best` in Govedič, 2023, §5.3.1): then the part with the smaller indices runs first,
// and other cells run in between. So in_order() is wrong for a loop over time in which cells read their
// neighbors' last step. Put a loop over time around the nest.
template <std::integral I>
constexpr extent in_order(I n) {
  extent e(n);
  e.in_order = true;
  return e;
}
template <std::integral I, std::integral J>
constexpr extent in_order(I first, J last) {
  extent e(first, last);
  e.in_order = true;
  return e;
}

// A box of iterations: the indices [begin(d), end(d)) in each dimension d. A body that takes a tile works on
// several iterations at once.
//
// Example:
//   void transpose(const sennit::tile<2>& t, long n, const double* a, double* b) {
//     for (auto i = t.begin(0); i < t.end(0); ++i)
//       for (auto j = t.begin(1); j < t.end(1); ++j) b[j * n + i] = a[i * n + j];
//   }
template <std::size_t D>
class tile {
 public:
  constexpr std::ptrdiff_t begin(std::size_t d) const noexcept { return begin_[d]; }
  constexpr std::ptrdiff_t end(std::size_t d) const noexcept { return end_[d]; }
  constexpr std::ptrdiff_t size(std::size_t d) const noexcept { return end_[d] - begin_[d]; }
  constexpr bool empty() const noexcept {
    for (std::size_t d = 0; d < D; ++d) {
      if (begin_[d] >= end_[d]) return true;
    }
    return false;
  }
  // Changes the bounds in dimension d.
  constexpr void set(std::size_t d, std::ptrdiff_t begin, std::ptrdiff_t end) noexcept {
    begin_[d] = begin;
    end_[d] = end;
  }
  // This tile, with other bounds in dimension d.
  constexpr tile with(std::size_t d, std::ptrdiff_t begin, std::ptrdiff_t end) const noexcept {
    tile result = *this;
    result.set(d, begin, end);
    return result;
  }
  friend constexpr bool operator==(const tile&, const tile&) = default;

 private:
  std::array<std::ptrdiff_t, D> begin_{};
  std::array<std::ptrdiff_t, D> end_{};
};

// The cells (i, j) of an n x n square on one side of its diagonal.
// Made by upper_triangle() and lower_triangle().
//
// Example:
//   #include <sennit/nest.hpp>
//
//   void mirror(double* a, long n, sennit::triangle cells) {
//     sennit::parallel_for_nest(cells, [=](auto i, auto j) { a[i * n + j] = a[j * n + i]; });
//   }
//   void make_symmetric(double* a, long n) { mirror(a, n, sennit::lower_triangle(n)); }
class triangle {
 public:
  enum class side { upper, lower };

  constexpr triangle(std::ptrdiff_t n, side which) noexcept : n_(n < 0 ? 0 : n), side_(which) {}

  constexpr std::ptrdiff_t size() const noexcept { return n_; }
  // Above the diagonal.
  constexpr bool is_upper() const noexcept { return side_ == side::upper; }
  // Whether the cell (i, j) is in it.
  constexpr bool contains(std::ptrdiff_t i, std::ptrdiff_t j) const noexcept {
    return is_upper() ? i < j : j < i;
  }

 private:
  std::ptrdiff_t n_;
  side side_;
};

// 0 <= i < j < n
template <std::integral I>
constexpr triangle upper_triangle(I n) {
  return {detail::to_index(n), triangle::side::upper};
}
// 0 <= j < i < n
template <std::integral I>
constexpr triangle lower_triangle(I n) {
  return {detail::to_index(n), triangle::side::lower};
}

}  // namespace sennit
