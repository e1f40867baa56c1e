// mm: the product of two matrices by three nested loops, of which the outer two are parallel (Govedič, 2023,
// §5.3.1). The innermost one goes down a column of b, so the order of the iterations decides what is still in
// the cache; matmul has a better one.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/matrix.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

struct program {
  static constexpr description about{.name = "mm", .summary = "matrix product by three nested loops"};

  std::int64_t n = 512;
  std::int64_t seed = 1;
  matrix a;
  matrix b;

  std::vector<parameter> parameters() {
    return {{"n", "rows and columns of the matrices", &n, 1, most_rows},
            {"seed", "which matrices", &seed, 0, 1e9}};
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
    P::parallel_for(0, c.rows, [out = c.all(), left = a.all(), right = b.all()](std::size_t i) {
      P::parallel_for(0, out.columns, [=](std::size_t j) {
        double sum = 0;
        for (std::size_t k = 0; k < left.columns; ++k) sum += left.row(i)[k] * right.row(k)[j];
        out.row(i)[j] = sum;
      });
    });
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
