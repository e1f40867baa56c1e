// SPDX-License-Identifier: Apache-2.0
// cholesky: the factor of a symmetric positive definite matrix, tile by tile, as a graph of tasks.
#include "gallery/cholesky.hpp"

#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/splitmix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

using cells = std::vector<double>;  // of a lower triangle, by rows

struct program {
  static constexpr description about{.name = "cholesky",
                                     .summary = "Cholesky factor of a matrix of tiles, a graph of tasks"};

  std::int64_t n = 1000;
  std::int64_t tile = 64;
  std::int64_t seed = 1;
  color_choice colors;

  std::vector<parameter> parameters() {
    return {{"n", "rows of the matrix", &n, 1, 1 << 14},
            {"tile", "side of a tile", &tile, 8, 1 << 10},
            {"seed", "of the matrix", &seed, 0, 1e9},
            colors.which()};
  }
  void choose_demo() { n = 1500; }
  void prepare() {}

  template <class P>
  cells run() const {
    const auto rows = static_cast<std::size_t>(n);
    tiled_cholesky<> matrix(rows, static_cast<std::size_t>(tile));
    P::parallel_for(std::size_t{0}, matrix.tiles(), [&](std::size_t row) {
      for (std::size_t column = 0; column <= row; ++column)
        matrix.fill(row, column, [&](std::size_t i, std::size_t j) { return given(i, j); });
    });
    run_graph<P>(graph_of(matrix), colors);
    cells factor;
    factor.reserve(rows * (rows + 1) / 2);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j <= i; ++j) factor.push_back(matrix.at(i, j));
    }
    return factor;
  }

  // The residual: the product of the factor and itself, turned, against the matrix, both with vectors that no wrong cell escapes.
  std::string complaint(const cells& factor) const {
    const auto rows = static_cast<std::size_t>(n);
    for (std::uint64_t trial = 0; trial < 3; ++trial) {
      std::vector<double> x(rows), turned(rows), product(rows), expected(rows);
      for (std::size_t i = 0; i < rows; ++i) x[i] = 1 + random(trial + 7, i);
      for (std::size_t i = 0, at = 0; i < rows; ++i) {
        for (std::size_t j = 0; j <= i; ++j) turned[j] += factor[at++] * x[i];
      }
      double largest = 0;
      for (std::size_t i = 0, at = 0; i < rows; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          product[i] += factor[at++] * turned[j];
          expected[i] += given(i, j) * x[j];
          if (i != j) expected[j] += given(i, j) * x[i];
        }
      }
      for (const double e : expected) largest = std::max(largest, std::abs(e));
      for (std::size_t i = 0; i < rows; ++i) {
        if (!(std::abs(product[i] - expected[i]) <= 1e-14 * largest * static_cast<double>(rows + 100)))
          return fmt::format("the residual in row {} is {:.3g} of {:.3g}", i, product[i] - expected[i],
                             largest);
      }
    }
    return {};
  }

  std::string describe(const cells& factor) const {
    double logarithm = 0;
    for (std::size_t i = 0, at = 0; i < static_cast<std::size_t>(n); at += ++i + 1)
      logarithm += 2 * std::log(factor[at]);
    return fmt::format("{} x {} in tiles of {}: the determinant is e^{:.6g}", n, n, tile, logarithm);
  }

 private:
  // From -1 to 1.
  static double random(std::uint64_t stream, std::uint64_t i) {
    return static_cast<double>(splitmix64(splitmix64(stream) + i) >> 11) * 0x1p-52 - 1;
  }
  // With a diagonal that outweighs the rest.
  double given(std::size_t i, std::size_t j) const {
    const auto rows = static_cast<std::uint64_t>(n);
    return random(static_cast<std::uint64_t>(seed), i * rows + j) + (i == j ? static_cast<double>(rows) : 0);
  }
};

}  // namespace

std::unique_ptr<kernel> make_cholesky() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
