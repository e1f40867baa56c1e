// SPDX-License-Identifier: Apache-2.0
// The best local alignment of two sequences (Smith and Waterman, 1981), block by block of the table of scores. A block needs
// the one to its left and the one above it.
#pragma once

#include "gallery/graphs.hpp"
#include "gallery/phases.hpp"
#include "gallery/sequences.hpp"

#include <sennit/numa_array.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gallery {

// A gap of k letters may cost anything: here, `open` and `extend` for each bit that k has. So each cell looks at all those to
// its left and above it, and the work is cubic.
class alignment_general {
 public:
  alignment_general(const sequence_pair& given, const scoring& scores, std::size_t block)
      : given_(given),
        scores_(scores),
        rows_{given.a.size(), padded(block)},
        columns_{given.b.size(), padded(block)},
        stride_(padded(columns_.n)),
        down_stride_(padded(rows_.n)),
        across_(rows_.n * stride_),
        down_(columns_.n * down_stride_),
        best_(rows_.count() * columns_.count() * line) {
    const std::size_t longest = std::max(rows_.n, columns_.n);
    costs_.resize(longest + 1);
    // From the longest gap to none, so that a cell reads them in the order of the scores.
    for (std::size_t k = 1; k <= longest; ++k) costs_[longest - k] = cost(scores, k);
  }

  static int cost(const scoring& scores, std::size_t k) {
    return static_cast<int>(scores.open + scores.extend * std::bit_width(k));
  }

  std::size_t block_rows() const { return rows_.count(); }
  std::size_t block_columns() const { return columns_.count(); }

  // One copy for all who call it, whose times are compared.
  [[gnu::noinline]] void compute(std::size_t block_row, std::size_t block_column) {
    int best = 0;
    for (std::size_t i = rows_.first(block_row); i < rows_.last(block_row); ++i) {
      int* const here = across_.data() + i * stride_;
      for (std::size_t j = columns_.first(block_column); j < columns_.last(block_column); ++j) {
        int* const column = down_.data() + j * down_stride_;
        const int diagonal = i > 0 && j > 0 ? (here - stride_)[j - 1] : 0;
        int score = std::max(0, diagonal + scores_.of(given_.a[i], given_.b[j]));
        score = std::max(score, best_after_gap(here, j));
        score = std::max(score, best_after_gap(column, i));
        here[j] = column[i] = score;
        best = std::max(best, score);
      }
    }
    best_[(block_row * columns_.count() + block_column) * line] = best;
  }

  int best() const { return *std::ranges::max_element(best_); }

 private:
  static constexpr std::size_t line = 64 / sizeof(int);
  // Blocks share no line of the cache.
  static constexpr std::size_t padded(std::size_t n) { return (n + line - 1) / line * line; }

  int best_after_gap(const int* scores, std::size_t count) const {
    const int* const costs = costs_.data() + (costs_.size() - 1 - count);
    int best = 0;
    for (std::size_t i = 0; i < count; ++i) best = std::max(best, scores[i] - costs[i]);
    return best;
  }

  const sequence_pair& given_;
  scoring scores_;
  partition rows_;
  partition columns_;
  std::size_t stride_;
  std::size_t down_stride_;
  sennit::numa_array<int> across_;  // the table by rows
  sennit::numa_array<int> down_;    // and by columns
  std::vector<int> costs_;
  std::vector<int> best_;
};

// A gap of k letters costs `open` and k times `extend` (Gotoh, 1982), so a cell looks at three others; of the table only the
// borders of blocks are kept.
class alignment_affine {
 public:
  alignment_affine(const sequence_pair& given, const scoring& scores, std::size_t block)
      : given_(given),
        scores_(scores),
        rows_{given.a.size(), block},
        columns_{given.b.size(), block},
        row_stride_(padded(2 * block + 2)),
        column_stride_(padded(2 * block)),
        left_(rows_.count() * row_stride_),
        above_(columns_.count() * column_stride_) {
    std::fill_n(left_.data(), left_.size(), 0);
    std::fill_n(above_.data(), above_.size(), 0);
  }

  std::size_t block_rows() const { return rows_.count(); }
  std::size_t block_columns() const { return columns_.count(); }

  // One copy for all who call it, whose times are compared.
  [[gnu::noinline]] void compute(std::size_t block_row, std::size_t block_column) {
    const std::size_t height = rows_.last(block_row) - rows_.first(block_row);
    const std::size_t width = columns_.last(block_column) - columns_.first(block_column);
    const char* const a = given_.a.data() + rows_.first(block_row);
    const char* const b = given_.b.data() + columns_.first(block_column);
    // To the left: the best score of the blocks there, the corner, and for each row the score and the best after a gap.
    int* const left = left_.data() + block_row * row_stride_;
    // Above: for each column the score, and the best after a gap.
    int* const score = above_.data() + block_column * column_stride_;
    int* const down = score + columns_.size;
    const int first = static_cast<int>(scores_.open + scores_.extend);
    const int further = static_cast<int>(scores_.extend);
    int best = left[0];
    int corner = left[1];
    left[1] = score[width - 1];
    for (std::size_t i = 0; i < height; ++i) {
      int* const entry = left + 2 + 2 * i;
      int diagonal = corner;
      int before = corner = entry[0];
      int across = entry[1];
      for (std::size_t j = 0; j < width; ++j) {
        across = std::max(across - further, before - first);
        down[j] = std::max(down[j] - further, score[j] - first);
        before = std::max({0, diagonal + scores_.of(a[i], b[j]), across, down[j]});
        diagonal = score[j];
        score[j] = before;
        best = std::max(best, before);
      }
      entry[0] = before;
      entry[1] = across;
    }
    left[0] = best;
  }

  // What blocks of the column leave to the one below: all that it needs besides what lies to its left.
  std::span<int> border(std::size_t block_column) {
    return {above_.data() + block_column * column_stride_, column_stride_};
  }

  int best() const {
    int best = 0;
    for (std::size_t r = 0; r < rows_.count(); ++r) best = std::max(best, left_.data()[r * row_stride_]);
    return best;
  }

 private:
  static constexpr std::size_t line = 64 / sizeof(int);
  // Blocks share no line of the cache.
  static constexpr std::size_t padded(std::size_t n) { return (n + line - 1) / line * line; }

  const sequence_pair& given_;
  scoring scores_;
  partition rows_;
  partition columns_;
  std::size_t row_stride_;
  std::size_t column_stride_;
  sennit::numa_array<int> left_;
  sennit::numa_array<int> above_;
};

// The blocks are dealt to places in equal contiguous parts of rows.
template <class Alignment>
auto graph_of_alignment(Alignment& alignment) {
  using key = std::array<std::uint32_t, 2>;
  const auto rows = static_cast<std::uint32_t>(alignment.block_rows());
  const auto columns = static_cast<std::uint32_t>(alignment.block_columns());
  const auto predecessors = [](key k) {
    // First the one above, if there is one, then the one to the left.
    const int from = k[0] > 0 ? 0 : 1;
    const int to = k[1] > 0 ? 2 : 1;
    return std::views::iota(from, to) |
           std::views::transform([k](int i) { return i == 0 ? key{k[0] - 1, k[1]} : key{k[0], k[1] - 1}; });
  };
  const auto compute = [&alignment](key k) { alignment.compute(k[0], k[1]); };
  const auto owner = [rows](key k, unsigned places) {
    return static_cast<unsigned>(std::uint64_t{k[0]} * places / rows);
  };
  return task_graph<key, decltype(predecessors), decltype(compute), decltype(owner)>{
      sennit::graph::dense<2>(rows, columns), key{rows - 1, columns - 1}, predecessors, compute, owner};
}

}  // namespace gallery
