// SPDX-License-Identifier: Apache-2.0
// transpose: a square matrix is turned about its diagonal, in place and time and again (Govedič, 2023,
// §5.3.3). The inner loop covers what is right of the diagonal, so rows cost less and less; and as it goes
// down a column as well, the order of the iterations decides what is still in the cache.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/orders.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gallery {
namespace {

using cells = std::vector<std::uint32_t>;

struct program {
  static constexpr description about{.name = "transpose",
                                     .summary = "a matrix turned about its diagonal, in place"};

  std::int64_t n = 2000;
  std::int64_t times = 11;
  order_choice order;

  std::vector<parameter> parameters() {
    return {{"n", "rows and columns of the matrix", &n, 1, 1 << 14},
            {"times", "how often it is transposed", &times, 1, 1e6},
            order.which(),
            order.size()};
  }
  void choose_demo() { times = 41; }
  void prepare() {}

  // Each cell says where it was at first. The largest matrix has fewer cells than there are numbers.
  std::uint32_t cell(std::size_t i, std::size_t j) const {
    return static_cast<std::uint32_t>(i * static_cast<std::size_t>(n) + j);
  }

  template <class P>
  cells run() const {
    const auto size = static_cast<std::size_t>(n);
    cells all(size * size);
    P::parallel_for(0, all.size(),
                    [at = all.data()](std::size_t i) { at[i] = static_cast<std::uint32_t>(i); });
    for (std::int64_t t = 0; t < times; ++t) {
      for_cells<P>(order, upper_triangle(size), [=, at = all.data()](std::size_t i, std::size_t j) {
        std::swap(at[i * size + j], at[j * size + i]);
      });
    }
    return all;
  }

  std::string complaint(const cells& result) const {
    const auto size = static_cast<std::size_t>(n);
    const bool turned = times % 2 == 1;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const std::uint32_t right = turned ? cell(j, i) : cell(i, j);
        if (result[i * size + j] != right) {
          return fmt::format("row {}, column {} holds {}, not {}", i, j, result[i * size + j], right);
        }
      }
    }
    return {};
  }

  std::string describe(const cells&) const { return fmt::format("{0} x {0} cells, {1} times", n, times); }
};

}  // namespace

std::unique_ptr<kernel> make_transpose() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
