// SPDX-License-Identifier: Apache-2.0
// matmul: the product of two matrices by halving the largest dimension (cache-oblivious).
// The recursion ends at blocks that fit the first-level cache, where the inner loop is a vector loop; that
// block is part of the algorithm.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

constexpr std::size_t base = 32;

// c += a * b. Halves of the inner dimension add to the same cells, so they come one after the other.
template <class P>
void multiply(target c, view a, view b) {
  const std::size_t largest = std::max({c.rows, c.columns, a.columns});
  if (largest <= base) return multiply_block(c, a, b);
  const std::size_t half = largest / 2;
  const std::size_t rest = largest - half;
  if (largest == c.rows) {
    P::join([=] { multiply<P>(c.part(0, 0, half, c.columns), a.part(0, 0, half, a.columns), b); },
            [=] { multiply<P>(c.part(half, 0, rest, c.columns), a.part(half, 0, rest, a.columns), b); });
  } else if (largest == c.columns) {
    P::join([=] { multiply<P>(c.part(0, 0, c.rows, half), a, b.part(0, 0, b.rows, half)); },
            [=] { multiply<P>(c.part(0, half, c.rows, rest), a, b.part(0, half, b.rows, rest)); });
  } else {
    multiply<P>(c, a.part(0, 0, a.rows, half), b.part(0, 0, half, b.columns));
    multiply<P>(c, a.part(0, half, a.rows, rest), b.part(half, 0, rest, b.columns));
  }
}

struct program {
  static constexpr description about{.name = "matmul",
                                     .summary = "matrix product, halving the largest dimension"};

  std::int64_t n = 1024;
  std::int64_t seed = 1;
  matrix a;
  matrix b;

  std::vector<parameter> parameters() {
    return {{"n", "rows and columns of the matrices", &n, 1, most_rows},
            {"seed", "which matrices", &seed, 0, 1e9}};
  }
  void choose_demo() { n = 900; }
  void prepare() {
    const auto size = static_cast<std::size_t>(n);
    a = random_matrix(size, size, static_cast<std::uint64_t>(seed) * 2);
    b = random_matrix(size, size, static_cast<std::uint64_t>(seed) * 2 + 1);
  }

  template <class P>
  matrix run() const {
    matrix c(a.rows, b.columns);
    multiply<P>(c.all(), a.all(), b.all());
    return c;
  }

  std::string complaint(const matrix& result) const { return product_complaint(a, b, result); }
  std::string describe(const matrix& result) const {
    return fmt::format("{} x {} cells", result.rows, result.columns);
  }
};

}  // namespace

std::unique_ptr<kernel> make_matmul() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
