// SPDX-License-Identifier: Apache-2.0
// mm: the product of two matrices by three nested loops, of which the outer two are parallel (Govedič, 2023,
// §5.3.1). The innermost one goes down a column of b, so the order of the iterations decides what is still in
// the cache. It is the same code in each of them; matmul has a faster one.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/matrix.hpp"
#include "gallery/orders.hpp"

#include <sennit/nest.hpp>
#include <sennit/space.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

// c += a * b over a box of the three loops.
struct product {
  target c;
  view a;
  view b;

  // A row of a times a column of b, from k to k_end.
  double dot(std::size_t i, std::size_t j, std::size_t k, std::size_t k_end) const {
    double sum = 0;
    for (; k < k_end; ++k) sum += a.row(i)[k] * b.row(k)[j];
    return sum;
  }
  void add(std::size_t i, std::size_t i_end, std::size_t j, std::size_t j_end, std::size_t k,
           std::size_t k_end) const {
    for (; i < i_end; ++i) {
      for (std::size_t column = j; column < j_end; ++column) c.row(i)[column] += dot(i, column, k, k_end);
    }
  }
};

// mm-dac-full: the longest of all three loops is halved, again and again.
template <class P>
void halve_the_longest(const product& all, std::ptrdiff_t side) {
  P::parallel_for_nest(
      {all.c.rows, all.c.columns, sennit::in_order(all.a.columns)},
      [&all](const sennit::tile<3>& t) {
        const auto at = [&t](std::size_t d) { return static_cast<std::size_t>(t.begin(d)); };
        const auto end = [&t](std::size_t d) { return static_cast<std::size_t>(t.end(d)); };
        all.add(at(0), end(0), at(1), end(1), at(2), end(2));
      },
      sennit::morton(side));
}

// mm-best: all three loops are halved at once, so that there are fewer levels of recursion.
template <class P>
class halve_all {
 public:
  halve_all(const product& all, std::size_t side) : all_(all), side_(side) {}

  void run() const {
    std::size_t size = side_;
    while (size < std::max({all_.c.rows, all_.c.columns, all_.a.columns})) size *= 2;
    cube(0, 0, 0, size);
  }

 private:
  // The indices from (i, j, k) on; those beyond the ends do not count.
  void cube(std::size_t i, std::size_t j, std::size_t k, std::size_t size) const {
    if (i >= all_.c.rows || j >= all_.c.columns || k >= all_.a.columns) return;
    if (size <= side_) {
      all_.add(i, std::min(i + size, all_.c.rows), j, std::min(j + size, all_.c.columns), k,
               std::min(k + size, all_.a.columns));
      return;
    }
    const std::size_t half = size / 2;
    for (const std::size_t depth : {k, k + half}) {
      P::join([=, this] { cube(i, j, depth, half); }, [=, this] { cube(i, j + half, depth, half); },
              [=, this] { cube(i + half, j, depth, half); },
              [=, this] { cube(i + half, j + half, depth, half); });
    }
  }

  const product& all_;
  std::size_t side_;
};

struct program {
  static constexpr description about{.name = "mm", .summary = "matrix product by three nested loops"};

  std::int64_t n = 512;
  std::int64_t seed = 1;
  order_choice order;
  matrix a;
  matrix b;

  std::vector<parameter> parameters() {
    return {{"n", "rows and columns of the matrices", &n, 1, most_rows},
            {"seed", "which matrices", &seed, 0, 1e9},
            order.which({"dac-full", "best"}),
            order.size()};
  }
  void choose_demo() { n = 600; }
  void prepare() {
    const auto size = static_cast<std::size_t>(n);
    a = random_matrix(size, size, static_cast<std::uint64_t>(seed) * 2);
    b = random_matrix(size, size, static_cast<std::uint64_t>(seed) * 2 + 1);
  }

  template <class P>
  matrix run() const {
    matrix c(a.rows, b.columns);
    const product all{c.all(), a.all(), b.all()};
    if (order.variant == "dac-full") {
      halve_the_longest<P>(all, order.tile);
    } else if (order.variant == "best") {
      halve_all<P>(all, order.side()).run();
    } else {
      for_cells<P>(order, rectangle{c.rows, c.columns},
                   [=](std::size_t i, std::size_t j) { all.c.row(i)[j] = all.dot(i, j, 0, all.a.columns); });
    }
    return c;
  }

  std::string complaint(const matrix& result) const { return product_complaint(a, b, result); }
  std::string describe(const matrix& result) const {
    return fmt::format("{} x {} cells", result.rows, result.columns);
  }
};

}  // namespace

std::unique_ptr<kernel> make_mm() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
