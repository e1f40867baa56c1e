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

// A lower triangle of tiles, each of which is in one piece, by rows.
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
    if (column > k) return update(k, row, column);
    if (row == column) return factorize(k);
    solve(k, row);
  }

  double at(std::size_t i, std::size_t j) const {
    const std::size_t b = parts_.size;
    return cells_.data()[offset(i / b, j / b) + i % b * b + j % b];
  }

 private:
  static std::size_t place(std::size_t row, std::size_t column) { return row * (row + 1) / 2 + column; }
  std::size_t offset(std::size_t row, std::size_t column) const {
    return place(row, column) * parts_.size * parts_.size;
  }
  double* tile(std::size_t row, std::size_t column) { return cells_.data() + offset(row, column); }
  std::size_t size(std::size_t part) const { return parts_.last(part) - parts_.first(part); }

  // With columns as rows, so that inner loops go along them.
  std::vector<double> turned(std::size_t row, std::size_t column) {
    const std::size_t b = parts_.size;
    const double* const t = tile(row, column);
    std::vector<double> result(b * b);
    for (std::size_t i = 0; i < size(row); ++i) {
      for (std::size_t j = 0; j < size(column); ++j) result[j * b + i] = t[i * b + j];
    }
    return result;
  }

  // potrf
  void factorize(std::size_t k) {
    const std::size_t b = parts_.size;
    const std::size_t n = size(k);
    double* const a = tile(k, k);
    for (std::size_t j = 0; j < n; ++j) {
      a[j * b + j] = std::sqrt(a[j * b + j]);
      for (std::size_t i = j + 1; i < n; ++i) a[i * b + j] /= a[j * b + j];
      for (std::size_t i = j + 1; i < n; ++i) {
        for (std::size_t c = j + 1; c <= i; ++c) a[i * b + c] -= a[i * b + j] * a[c * b + j];
      }
    }
  }
  // trsm: what times the turned factor of the diagonal is the tile.
  void solve(std::size_t k, std::size_t row) {
    const std::size_t b = parts_.size;
    const std::size_t n = size(k);
    const std::vector<double> factor = turned(k, k);
    double* const a = tile(row, k);
    for (std::size_t i = 0; i < size(row); ++i) {
      double* const x = a + i * b;
      for (std::size_t c = 0; c < n; ++c) {
        const double* const f = factor.data() + c * b;
        x[c] /= f[c];
        for (std::size_t j = c + 1; j < n; ++j) x[j] -= x[c] * f[j];
      }
    }
  }
  // gemm, and syrk on the diagonal, of which nobody reads what is above it.
  void update(std::size_t k, std::size_t row, std::size_t column) {
    const std::size_t b = parts_.size;
    const std::vector<double> right = turned(column, k);
    const double* const left = tile(row, k);
    double* const a = tile(row, column);
    for (std::size_t i = 0; i < size(row); ++i) {
      const std::size_t end = row == column ? i + 1 : size(column);
      for (std::size_t c = 0; c < size(k); ++c) {
        const double factor = left[i * b + c];
        const double* const r = right.data() + c * b;
        for (std::size_t j = 0; j < end; ++j) a[i * b + j] -= factor * r[j];
      }
    }
  }

  partition parts_;
  sennit::numa_array<double> cells_;
};

// Keys: the step, the tile's row and its column. Rows of tiles are dealt to places in turn, as those further down have more to
// do.
inline auto graph_of(tiled_cholesky& matrix) {
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
