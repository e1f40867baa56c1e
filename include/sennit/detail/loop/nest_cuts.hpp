// SPDX-License-Identifier: Apache-2.0
// How the space of a nest is cut: pure arithmetic, without atomics, threads or a clock, like src/policy;
// here because users' templates need it.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/space.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sennit::detail {

template <std::size_t D>
using sizes = std::array<std::ptrdiff_t, D>;

// Cells are counted as loops count their iterations: positions from zero, fewer than 2^62.
inline constexpr std::uint64_t too_many_cells = std::uint64_t{1} << 62;

// The cells of a tile that is not empty, counting the dimensions [first, last) only;
// too_many_cells if there are as many.
template <std::size_t D>
constexpr std::uint64_t cells(const tile<D>& t, std::size_t first = 0, std::size_t last = D) noexcept {
  std::uint64_t count = 1;
  for (std::size_t d = first; d < last; ++d) {
    const auto size = static_cast<std::uint64_t>(t.end(d)) - static_cast<std::uint64_t>(t.begin(d));
    if (__builtin_mul_overflow(count, size, &count) || count >= too_many_cells) return too_many_cells;
  }
  return count;
}

// Narrows `part` to the position p of the dimensions [first, last) of t: to one index in each of these.
template <std::size_t D>
constexpr void narrow(tile<D>& part, const tile<D>& t, std::size_t first, std::size_t last,
                      std::uint64_t p) noexcept {
  for (std::size_t d = last; d-- > first;) {
    const auto size = static_cast<std::uint64_t>(t.size(d));
    const std::ptrdiff_t index = t.begin(d) + static_cast<std::ptrdiff_t>(p % size);
    part.set(d, index, index + 1);
    p /= size;
  }
}

// Calls f(part) for the parts, in row order, that the positions [from, to) of the dimensions [first, last)
// make up: each is one index in the outer ones of these, a run of indices in the innermost, and all of the
// other dimensions. f returns how many indices of the run are done; where they are not all, that is the end.
// Returns the position of the end. Precondition: from < to <= cells(t, first, last).
template <std::size_t D, class F>
SENNIT_INLINE constexpr std::uint64_t for_each_run(const tile<D>& t, std::size_t first, std::size_t last,
                                                   std::uint64_t from, std::uint64_t to, F&& f) {
  const std::size_t inner = last - 1;
  const auto length = static_cast<std::uint64_t>(t.size(inner));
  // Changed in place: copies of what has just been written by halves would wait for the stores.
  tile<D> part = t;
  std::uint64_t column = from;
  if (first < inner) {
    column = from % length;
    narrow(part, t, first, inner, from / length);
  }
  for (std::uint64_t left = to - from;;) {
    const std::uint64_t run = std::min(length - column, left);
    const std::ptrdiff_t begin = t.begin(inner) + static_cast<std::ptrdiff_t>(column);
    part.set(inner, begin, begin + static_cast<std::ptrdiff_t>(run));
    const std::uint64_t done = f(std::as_const(part));
    left -= done;
    if (left == 0 || done < run) return to - left;
    column = 0;
    for (std::size_t d = inner; d-- > first;) {
      const std::ptrdiff_t next = part.end(d);
      if (next < t.end(d)) {
        part.set(d, next, next + 1);
        break;
      }
      part.set(d, t.begin(d), t.begin(d) + 1);
    }
  }
}

// The dimension that is longest among those longer than its base; the first of several; D if there is none.
template <std::size_t D>
constexpr std::size_t longest(const tile<D>& t, const sizes<D>& base) noexcept {
  std::size_t found = D;
  for (std::size_t d = 0; d < D; ++d) {
    if (t.size(d) > base[d] && (found == D || t.size(d) > t.size(found))) found = d;
  }
  return found;
}

// Cutting the longest dimension until none is longer than its base, the lower half first, visits the cells of
// a square whose side is a power of two in Morton's order (`dac` in Govedič, 2023, §5.2). Other extents come
// in the same order, except for the sizes of the halves, which differ by at most one.
template <std::size_t D>
constexpr std::pair<tile<D>, tile<D>> halve(const tile<D>& t, std::size_t d) noexcept {
  const std::ptrdiff_t middle = t.begin(d) + t.size(d) / 2;
  return {t.with(d, t.begin(d), middle), t.with(d, middle, t.end(d))};
}

// How many tiles of this size there are in each dimension, as a space of its own.
template <std::size_t D>
constexpr tile<D> grid(const tile<D>& t, const sizes<D>& size) noexcept {
  tile<D> result;
  for (std::size_t d = 0; d < D; ++d) result.set(d, 0, (t.size(d) - 1) / size[d] + 1);
  return result;
}

// The tile at a cell of the grid; those at the ends may be smaller.
template <std::size_t D>
constexpr tile<D> tile_at(const tile<D>& t, const sizes<D>& size, const sizes<D>& at) noexcept {
  tile<D> result;
  for (std::size_t d = 0; d < D; ++d) {
    const std::ptrdiff_t offset = at[d] * size[d];
    const std::ptrdiff_t rest = t.size(d) - offset;
    result.set(d, t.begin(d) + offset, t.begin(d) + offset + std::min(size[d], rest));
  }
  return result;
}

constexpr tile<2> square_around(const triangle& t) noexcept {
  return tile<2>().with(0, 0, t.size()).with(1, 0, t.size());
}
constexpr bool outside(const triangle& t, const tile<2>& part) noexcept {
  return t.is_upper() ? part.end(1) - 1 <= part.begin(0) : part.end(0) - 1 <= part.begin(1);
}
constexpr bool inside(const triangle& t, const tile<2>& part) noexcept {
  return t.is_upper() ? part.end(0) <= part.begin(1) : part.end(1) <= part.begin(0);
}
// What of row i of the part lies in the triangle, perhaps nothing.
constexpr tile<2> row_within(const triangle& t, const tile<2>& part, std::ptrdiff_t i) noexcept {
  const tile<2> row = part.with(0, i, i + 1);
  return t.is_upper() ? row.with(1, std::max(part.begin(1), i + 1), part.end(1))
                      : row.with(1, part.begin(1), std::min(part.end(1), i));
}

constexpr std::uint64_t cells(const triangle& t) noexcept {
  const std::uint64_t count = cells(square_around(t));
  return count >= too_many_cells ? too_many_cells : (count - static_cast<std::uint64_t>(t.size())) / 2;
}

// The row i of a lower triangle, i cells long, in which its cell number p lies:
// the largest with i (i - 1) / 2 <= p.
inline std::uint64_t row_of(std::uint64_t p) noexcept {
  auto row = static_cast<std::uint64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(p))) / 2);
  // The rounding of the root may miss by one.
  while (row * (row - 1) / 2 > p) --row;
  while ((row + 1) * row / 2 <= p) ++row;
  return row;
}

// The same for the runs of the rows, in order, that the positions [from, to) of the triangle's cells make up.
// Precondition: from < to <= cells(t).
template <class F>
std::uint64_t for_each_run(const triangle& t, std::uint64_t from, std::uint64_t to, F&& f) {
  const tile<2> square = square_around(t);
  std::ptrdiff_t i;
  std::uint64_t skipped;
  if (t.is_upper()) {
    // Read backwards, the upper triangle is a lower one.
    const std::uint64_t backwards = cells(t) - 1 - from;
    const std::uint64_t row = row_of(backwards);
    i = t.size() - 1 - static_cast<std::ptrdiff_t>(row);
    skipped = row * (row + 1) / 2 - 1 - backwards;
  } else {
    const std::uint64_t row = row_of(from);
    i = static_cast<std::ptrdiff_t>(row);
    skipped = from - row * (row - 1) / 2;
  }
  for (std::uint64_t left = to - from;; ++i) {
    const tile<2> row = row_within(t, square, i);
    const std::ptrdiff_t begin = row.begin(1) + static_cast<std::ptrdiff_t>(skipped);
    const std::uint64_t run = std::min(static_cast<std::uint64_t>(row.end(1) - begin), left);
    const std::uint64_t done = f(row.with(1, begin, begin + static_cast<std::ptrdiff_t>(run)));
    left -= done;
    if (left == 0 || done < run) return to - left;
    skipped = 0;
  }
}

}  // namespace sennit::detail
