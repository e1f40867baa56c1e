// SPDX-License-Identifier: Apache-2.0
// daxpy: y += a * x, time and again. An iteration has next to no work to hide behind, so this is what loops
// cost: those of the library, and those by halves (Govedič, 2023, §4.1).
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/matrix.hpp"
#include "gallery/orders.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

struct program {
  static constexpr description about{.name = "daxpy", .summary = "y += a * x, a loop of one line"};

  // Whole, as the cells of x and y are, so that every sum is exact.
  static constexpr double a = 3;

  std::int64_t n = 1'000'000;
  std::int64_t times = 100;
  std::int64_t seed = 1;
  std::string variant = "loop";
  std::int64_t grain = 1;
  std::vector<double> x;
  std::vector<double> start;

  std::vector<parameter> parameters() {
    return {{"n", "length of the vectors", &n, 1, 1 << 26},
            {"times", "how often x is added", &times, 1, 1e6},
            {"seed", "which vectors", &seed, 0, 1e9},
            {.name = "variant",
             .meaning = "a parallel loop, or halves down to the grain",
             .value = &variant,
             .words = {"loop", "dac-loop"}},
            {"grain", "iterations that are not halved any further (G in the thesis)", &grain, 1, 1 << 26}};
  }
  void choose_demo() { times = 800; }
  void prepare() {
    x = random_matrix(static_cast<std::size_t>(n), 1, static_cast<std::uint64_t>(seed) * 2).cells;
    start = random_matrix(static_cast<std::size_t>(n), 1, static_cast<std::uint64_t>(seed) * 2 + 1).cells;
  }

  template <class P>
  std::vector<double> run() const {
    std::vector<double> y = start;
    for (std::int64_t i = 0; i < times; ++i) {
      const auto add = [in = x.data(), out = y.data()](std::size_t j) { out[j] += a * in[j]; };
      if (variant == "loop") {
        P::parallel_for(0, y.size(), add);
      } else {
        by_halves<P>(0, y.size(), static_cast<std::size_t>(grain), [=](std::size_t from, std::size_t to) {
          for (std::size_t j = from; j < to; ++j) add(j);
        });
      }
    }
    return y;
  }

  std::string complaint(const std::vector<double>& y) const {
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double right = start[j] + static_cast<double>(times) * a * x[j];
      if (y[j] != right) return fmt::format("cell {} is {}, not {}", j, y[j], right);
    }
    return {};
  }

  std::string describe(const std::vector<double>& y) const {
    return fmt::format("{} cells, {} times", y.size(), times);
  }
};

}  // namespace

std::unique_ptr<kernel> make_daxpy() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
