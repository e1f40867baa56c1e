// SPDX-License-Identifier: Apache-2.0
// strassen: the product of two matrices with seven recursive products instead of eight,
// spawned in a task group. The recursion ends where the sums it needs cost more than the product it saves;
// that block is part of the algorithm.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

constexpr std::size_t base = 64;

struct quadrants {
  view a, b, c, d;  // a b
                    // c d
  explicit quadrants(view m) : quadrants(m, m.rows / 2) {}
  quadrants(view m, std::size_t h)
      : a(m.part(0, 0, h, h)), b(m.part(0, h, h, h)), c(m.part(h, 0, h, h)), d(m.part(h, h, h, h)) {}
};

template <class Operation>
matrix combine(view a, view b, Operation operation) {
  matrix result(a.rows, a.columns);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) result.all().row(i)[j] = operation(a.row(i)[j], b.row(i)[j]);
  }
  return result;
}

matrix sum(view a, view b) { return combine(a, b, std::plus<>{}); }
matrix difference(view a, view b) { return combine(a, b, std::minus<>{}); }

// Square matrices with base * 2^k rows, or fewer than base.
template <class P>
matrix product(view x, view y) {
  matrix result(x.rows, x.rows);
  if (x.rows <= base) {
    multiply_block(result.all(), x, y);
    return result;
  }
  const quadrants s(x);
  const quadrants t(y);
  std::array<matrix, 7> m;
  typename P::task_group group;
  group.spawn([&] { m[0] = product<P>(sum(s.a, s.d).all(), sum(t.a, t.d).all()); });
  group.spawn([&] { m[1] = product<P>(sum(s.c, s.d).all(), t.a); });
  group.spawn([&] { m[2] = product<P>(s.a, difference(t.b, t.d).all()); });
  group.spawn([&] { m[3] = product<P>(s.d, difference(t.c, t.a).all()); });
  group.spawn([&] { m[4] = product<P>(sum(s.a, s.b).all(), t.d); });
  group.spawn([&] { m[5] = product<P>(difference(s.c, s.a).all(), sum(t.a, t.b).all()); });
  group.spawn([&] { m[6] = product<P>(difference(s.b, s.d).all(), sum(t.c, t.d).all()); });
  group.wait();

  const std::size_t half = x.rows / 2;
  for (std::size_t i = 0; i < half; ++i) {
    double* upper = result.all().row(i);
    double* lower = result.all().row(i + half);
    for (std::size_t j = 0; j < half; ++j) {
      const auto at = [&](std::size_t which) { return m[which].cells[i * half + j]; };
      upper[j] = at(0) + at(3) - at(4) + at(6);
      upper[j + half] = at(2) + at(4);
      lower[j] = at(1) + at(3);
      lower[j + half] = at(0) - at(1) + at(2) + at(5);
    }
  }
  return result;
}

// The matrix with zeros added until its size can be halved down to a base block.
matrix padded(const matrix& m) {
  std::size_t size = m.rows;
  if (size > base) size = base * std::bit_ceil((size + base - 1) / base);
  matrix result(size, size);
  for (std::size_t i = 0; i < m.rows; ++i) {
    std::copy_n(m.all().row(i), m.columns, result.all().row(i));
  }
  return result;
}

struct program {
  static constexpr description about{.name = "strassen",
                                     .summary = "matrix product with seven products for eight"};

  std::int64_t n = 1024;
  std::int64_t seed = 1;
  matrix a;
  matrix b;

  std::vector<parameter> parameters() {
    return {{"n", "rows and columns of the matrices", &n, 1, most_rows},
            {"seed", "which matrices", &seed, 0, 1e9}};
  }
  void choose_demo() { n = 1024; }
  void prepare() {
    const auto size = static_cast<std::size_t>(n);
    a = padded(random_matrix(size, size, static_cast<std::uint64_t>(seed) * 2));
    b = padded(random_matrix(size, size, static_cast<std::uint64_t>(seed) * 2 + 1));
  }

  template <class P>
  matrix run() const {
    return product<P>(a.all(), b.all());
  }

  std::string complaint(const matrix& result) const { return product_complaint(a, b, result); }
  std::string describe(const matrix& result) const {
    return fmt::format("{0} x {0} cells, computed as {1} x {1}", n, result.rows);
  }
};

}  // namespace

std::unique_ptr<kernel> make_strassen() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
