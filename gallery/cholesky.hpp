// SPDX-License-Identifier: Apache-2.0
// The Cholesky factor of a symmetric positive definite matrix, tile by tile.
#pragma once

#include "gallery/graphs.hpp"
#include "gallery/phases.hpp"

#include <sennit/numa_array.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gallery {

// What is done to tiles, which lie by rows of `side` cells of which not all need be used.
class plain_tiles {
 public:
  // potrf
  static void factorize(std::size_t n, double* a, std::size_t side) {
    for (std::size_t j = 0; j < n; ++j) {
      a[j * side + j] = std::sqrt(a[j * side + j]);
      for (std::size_t i = j + 1; i < n; ++i) a[i * side + j] /= a[j * side + j];
      for (std::size_t i = j + 1; i < n; ++i) {
        for (std::size_t c = j + 1; c <= i; ++c) a[i * side + c] -= a[i * side + j] * a[c * side + j];
      }
    }
  }
  // trsm: what times the turned factor is the tile of rows x n.
  static void solve(std::size_t rows, std::size_t n, const double* factor, double* a, std::size_t side) {
    const std::vector<double> columns = turned(n, n, factor, side);
    for (std::size_t i = 0; i < rows; ++i) {
      double* const x = a + i * side;
      for (std::size_t c = 0; c < n; ++c) {
        const double* const f = columns.data() + c * side;
        x[c] /= f[c];
        for (std::size_t j = c + 1; j < n; ++j) x[j] -= x[c] * f[j];
      }
    }
  }
  // syrk
  static void update(std::size_t n, std::size_t depth, const double* left, double* a, std::size_t side) {
    const std::vector<double> columns = turned(n, depth, left, side);
    for (std::size_t i = 0; i < n; ++i)
      update_row(i + 1, depth, left + i * side, columns, a + i * side, side);
  }
  // gemm
  static void update(std::size_t rows, std::size_t columns, std::size_t depth, const double* left,
                     const double* right, double* a, std::size_t side) {
    const std::vector<double> of_right = turned(columns, depth, right, side);
    for (std::size_t i = 0; i < rows; ++i)
      update_row(columns, depth, left + i * side, of_right, a + i * side, side);
  }

 private:
  // With columns as rows, so that inner loops go along them.
  static std::vector<double> turned(std::size_t rows, std::size_t columns, const double* a,
                                    std::size_t side) {
    std::vector<double> result(side * side);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) result[j * side + i] = a[i * side + j];
    }
    return result;
  }
  static void update_row(std::size_t n, std::size_t depth, const double* left,
                         const std::vector<double>& right, double* out, std::size_t side) {
    for (std::size_t c = 0; c < depth; ++c) {
      const double* const r = right.data() + c * side;
      for (std::size_t j = 0; j < n; ++j) out[j] -= left[c] * r[j];
    }
  }
};

// A lower triangle of tiles, each of which is in one piece, by rows.
template <class Tiles = plain_tiles>
class tiled_cholesky {
 public:
  tiled_cholesky(std::size_t n, std::size_t tile)
      : parts_{n, std::min(n, tile)},
        cells_(parts_.count() * (parts_.count() + 1) / 2 * parts_.size * parts_.size) {}

  std::size_t tiles() const { return parts_.count(); }

  // cell(i, j) for i >= j.
  template <class Cell>
  void fill(std::size_t row, std::size_t column, const Cell& cell) {
    double* const t = tile(row, column);
    for (std::size_t i = 0; i < size(row); ++i) {
      for (std::size_t j = 0; j < size(column); ++j) {
        const std::size_t r = parts_.first(row) + i;
        const std::size_t c = parts_.first(column) + j;
        t[i * parts_.size + j] = r >= c ? cell(r, c) : 0;
      }
    }
  }

  // Step k of a tile: up to the one of its column it is updated, in that one it becomes part of the factor. Needs the step
  // before of the tile, and step k of tiles of column k.
  void compute(std::size_t k, std::size_t row, std::size_t column) {
    double* const a = tile(row, column);
    if (column > k && row > column) {
      Tiles::update(size(row), size(column), size(k), tile(row, k), tile(column, k), a, parts_.size);
    } else if (column > k) {
      Tiles::update(size(row), size(k), tile(row, k), a, parts_.size);
    } else if (row > column) {
      Tiles::solve(size(row), size(k), tile(k, k), a, parts_.size);
    } else {
      Tiles::factorize(size(k), a, parts_.size);
    }
  }

  double* tile(std::size_t row, std::size_t column) { return cells_.data() + offset(row, column); }
  double at(std::size_t i, std::size_t j) const {
    const std::size_t b = parts_.size;
    return cells_.data()[offset(i / b, j / b) + i % b * b + j % b];
  }

 private:
  std::size_t offset(std::size_t row, std::size_t column) const {
    return (row * (row + 1) / 2 + column) * parts_.size * parts_.size;
  }
  std::size_t size(std::size_t part) const { return parts_.last(part) - parts_.first(part); }

  partition parts_;
  sennit::numa_array<double> cells_;
};

// Keys: the step, the tile's row and its column. Rows of tiles are dealt to places in turn, as those further down have more to
// do.
template <class Tiles>
auto graph_of(tiled_cholesky<Tiles>& matrix) {
  using key = std::array<std::uint32_t, 3>;
  struct few {
    std::array<key, 3> keys;
    std::size_t count = 0;
    const key* begin() const { return keys.data(); }
    const key* end() const { return keys.data() + count; }
    std::size_t size() const { return count; }
    void add(key k) { keys[count++] = k; }
  };
  const auto predecessors = [](key at) {
    const auto [k, row, column] = at;
    few before;
    if (k > 0) before.add({k - 1, row, column});
    if (column > k) {
      before.add({k, row, k});
      if (row != column) before.add({k, column, k});
    } else if (row > k) {
      before.add({k, k, k});
    }
    return before;
  };
  const auto compute = [&matrix](key at) { matrix.compute(at[0], at[1], at[2]); };
  const auto owner = [](key at, unsigned places) { return at[1] % places; };
  const auto tiles = static_cast<std::uint32_t>(matrix.tiles());
  return task_graph<key, decltype(predecessors), decltype(compute), decltype(owner)>{
      sennit::graph::dense<3>(tiles, tiles, tiles), key{tiles - 1, tiles - 1, tiles - 1}, predecessors,
      compute, owner};
}

}  // namespace gallery
