// SPDX-License-Identifier: Apache-2.0
#include "gallery/matrix.hpp"

#include "gallery/splitmix.hpp"

#include <fmt/format.h>

namespace gallery {

matrix random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  matrix result(rows, columns);
  std::uint64_t state = splitmix64(seed);
  for (double& cell : result.cells) {
    state = splitmix64(state);
    cell = static_cast<double>(state % 17) - 8;
  }
  return result;
}

void multiply_block(target c, view a, view b) {
  for (std::size_t i = 0; i < c.rows; ++i) {
    double* out = c.row(i);
    for (std::size_t k = 0; k < a.columns; ++k) {
      const double factor = a.row(i)[k];
      const double* in = b.row(k);
      for (std::size_t j = 0; j < c.columns; ++j) out[j] += factor * in[j];
    }
  }
}

std::string product_complaint(const matrix& a, const matrix& b, const matrix& c) {
  const auto apply = [](const matrix& m, const matrix& x) {
    matrix y(m.rows, 1);
    multiply_block(y.all(), m.all(), x.all());
    return y;
  };
  const matrix x = random_matrix(b.columns, 1, 0x5eed);
  const matrix right = apply(a, apply(b, x));
  const matrix found = apply(c, x);
  for (std::size_t i = 0; i < right.rows; ++i) {
    if (right.cells[i] != found.cells[i]) return fmt::format("row {} of the product is wrong", i);
  }
  return {};
}

}  // namespace gallery
