// SPDX-License-Identifier: Apache-2.0
// spmv: the product of a sparse matrix and a vector (Rainey et al., 2021, §4.1). Rows may be about as long as
// one another, or one of them nearly as long as all others together: so rows are a parallel loop, and so is
// each row's sum, however short.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/sparse_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

struct program {
  static constexpr description about{
      .name = "spmv", .summary = "sparse matrix times vector", .reads = content::matrix};

  std::int64_t nonzeros = 2'000'000;
  std::string kind = "random";
  std::string variant = "nested";
  std::int64_t times = 20;
  std::int64_t seed = 1;
  sparse_matrix a;
  std::vector<double> x;
  std::vector<double> right;
  std::vector<double>
      slack;  // how far rounding can take a cell away from that, in whatever order the sum is made

  std::vector<parameter> parameters() {
    return {{"nonzeros", "cells that are not zero, about", &nonzeros, 1, 1 << 27},
            {.name = "matrix",
             .meaning = "which one to generate",
             .value = &kind,
             .words = {"random", "power-law", "arrowhead"}},
            {.name = "variant",
             .meaning = "both loops parallel, or only the one over the rows",
             .value = &variant,
             .words = {"nested", "rows"}},
            {"times", "how often it is multiplied", &times, 1, 1e6},
            {"seed", "which matrix of its kind", &seed, 0, 1e9}};
  }
  void choose_demo() {
    kind = "power-law";
    times = 30;
  }

  void prepare(const std::filesystem::path& path) {
    if (path.empty()) {
      const auto generate = kind == "random"      ? random_sparse_matrix
                            : kind == "power-law" ? power_law_matrix
                                                  : arrowhead_matrix;
      a = generate(static_cast<std::size_t>(nonzeros), static_cast<std::uint64_t>(seed));
    } else {
      a = read_matrix_market(path);
      // What is reported is what was read.
      nonzeros = static_cast<std::int64_t>(a.values.size());
      kind = path.filename().string();
    }
    x.resize(a.columns);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<double>(1 + j % 7);
    right.assign(a.rows, 0);
    slack.assign(a.rows, 0);
    for (std::size_t i = 0; i < a.rows; ++i) {
      long double sum = 0;
      double magnitudes = 0;
      for (std::size_t k = a.starts[i]; k < a.starts[i + 1]; ++k) {
        sum += static_cast<long double>(a.values[k]) * static_cast<long double>(x[a.indices[k]]);
        magnitudes += std::abs(a.values[k] * x[a.indices[k]]);
      }
      right[i] = static_cast<double>(sum);
      slack[i] = static_cast<double>(a.starts[i + 1] - a.starts[i] + 1) *
                 std::numeric_limits<double>::epsilon() * magnitudes;
    }
  }

  template <class P>
  std::vector<double> run() const {
    std::vector<double> y(a.rows);
    const auto term = [this](std::size_t k) { return a.values[k] * x[a.indices[k]]; };
    for (std::int64_t t = 0; t < times; ++t) {
      if (variant == "nested") {
        P::parallel_for(0, a.rows, [&](std::size_t i) {
          y[i] = P::parallel_reduce(a.starts[i], a.starts[i + 1], 0.0, term);
        });
      } else {
        P::parallel_for(0, a.rows, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = a.starts[i]; k < a.starts[i + 1]; ++k) sum += term(k);
          y[i] = sum;
        });
      }
    }
    return y;
  }

  bool same(const std::vector<double>& one, const std::vector<double>& other) const {
    return difference(one, other) == a.rows;
  }

  std::string complaint(const std::vector<double>& y) const {
    const std::size_t i = difference(y, right);
    return i == y.size() ? "" : fmt::format("row {} of the product is {}, not {}", i, y[i], right[i]);
  }

  std::string describe(const std::vector<double>&) const {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < a.rows; ++i) longest = std::max(longest, a.starts[i + 1] - a.starts[i]);
    return fmt::format("matrix {}: {} x {}, {} nonzeros, {} in the longest row, {} times", kind, a.rows,
                       a.columns, a.values.size(), longest, times);
  }

 private:
  // The first row in which two products differ by more than rounding; the number of rows if there is none.
  std::size_t difference(const std::vector<double>& one, const std::vector<double>& other) const {
    std::size_t i = 0;
    while (i < a.rows && std::abs(one[i] - other[i]) <= 2 * slack[i]) ++i;
    return i;
  }
};

}  // namespace

std::unique_ptr<kernel> make_spmv() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
