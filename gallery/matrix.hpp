// SPDX-License-Identifier: Apache-2.0
// Matrices, views of their blocks, and the product of two small blocks that both matrix kernels end in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gallery {

// A block of a matrix. It does not own the cells.
template <class Cell>
struct block {
  Cell* cells;
  std::size_t rows;
  std::size_t columns;
  std::size_t stride;

  Cell* row(std::size_t i) const { return cells + i * stride; }
  block part(std::size_t i, std::size_t j, std::size_t r, std::size_t c) const {
    return {row(i) + j, r, c, stride};
  }
  operator block<const Cell>() const { return {cells, rows, columns, stride}; }
};

using view = block<const double>;
using target = block<double>;

struct matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> cells;

  matrix() = default;
  matrix(std::size_t r, std::size_t c) : rows(r), columns(c), cells(r * c) {}

  view all() const { return {cells.data(), rows, columns, columns}; }
  target all() { return {cells.data(), rows, columns, columns}; }

  bool operator==(const matrix&) const = default;
};

// No matrix has more rows; a parameter that asks for more is an error.
inline constexpr double most_rows = 1 << 12;

// Whole numbers from -8 to 8, the same for the same seed. Sums and products of them are exact.
matrix random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed);

// c += a * b.
void multiply_block(target c, view a, view b);

// What is wrong with c as the product of a and b, judged by Freivalds' test:
// c * x against a * (b * x) for random x.
std::string product_complaint(const matrix& a, const matrix& b, const matrix& c);

}  // namespace gallery
