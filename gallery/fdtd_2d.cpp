// SPDX-License-Identifier: Apache-2.0
// fdtd-2d: an electromagnetic field in a square by finite differences in time, as in PolyBench.
#include "gallery/fdtd_2d.hpp"

#include "gallery/graphs.hpp"
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/staged_kernels.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

struct field {
  std::vector<double> ey, ex, hz;

  bool operator==(const field&) const = default;
};

// The program of PolyBench, as it stands there.
field reference(std::size_t n, std::int64_t steps) {
  field f{std::vector<double>(n * n), std::vector<double>(n * n), std::vector<double>(n * n)};
  auto& [ey, ex, hz] = f;
  const auto size = static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      ex[i * n + j] = static_cast<double>(i) * static_cast<double>(j + 1) / size;
      ey[i * n + j] = static_cast<double>(i) * static_cast<double>(j + 2) / size;
      hz[i * n + j] = static_cast<double>(i) * static_cast<double>(j + 3) / size;
    }
  }
  for (std::int64_t t = 0; t < steps; ++t) {
    for (std::size_t j = 0; j < n; ++j) ey[j] = static_cast<double>(t);
    for (std::size_t i = 1; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) ey[i * n + j] -= 0.5 * (hz[i * n + j] - hz[(i - 1) * n + j]);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 1; j < n; ++j) ex[i * n + j] -= 0.5 * (hz[i * n + j] - hz[i * n + j - 1]);
    for (std::size_t i = 0; i + 1 < n; ++i)
      for (std::size_t j = 0; j + 1 < n; ++j)
        hz[i * n + j] -= 0.7 * (ex[i * n + j + 1] - ex[i * n + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
  }
  return f;
}

struct program {
  static constexpr description about{.name = "fdtd-2d",
                                     .summary = "an electromagnetic field in a square, step by step"};

  std::int64_t n = 800;
  std::int64_t steps = 100;
  std::int64_t block = 1;
  std::string variant = "loops";
  color_choice colors;

  std::vector<parameter> parameters() {
    return {{"n", "cells along a side", &n, 1, 1 << 13},
            {"steps", "number of time steps", &steps, 1, 1e6},
            {"block", "rows of cells that are not divided any further", &block, 1, 1 << 13},
            {.name = "variant",
             .meaning = "three loops for each step, or one graph of tasks for all",
             .value = &variant,
             .words = {"loops", "graph"}},
            colors.which()};
  }
  void choose_demo() { n = 1000; }
  void prepare() {}

  template <class P>
  field run() const {
    fdtd_2d f(static_cast<std::size_t>(n), static_cast<std::size_t>(block));
    if (variant == "graph") {
      const auto count = static_cast<std::size_t>(steps);
      run_graph<P>(graph_of(stages_of(f, count)), colors);
      f.took(count);
    } else {
      const loops<P> run;
      f.initialize(run);
      for (std::int64_t i = 0; i < steps; ++i) f.step(run);
    }
    return {{f.ey().begin(), f.ey().end()}, {f.ex().begin(), f.ex().end()}, {f.hz().begin(), f.hz().end()}};
  }

  std::string complaint(const field& result) const {
    if (result == reference(static_cast<std::size_t>(n), steps)) return {};
    return "a component of the field differs from what plain loops come to";
  }

  std::string describe(const field& result) const {
    double sum = 0;
    for (const double z : result.hz) sum += z;
    return fmt::format("{} steps on {} x {} cells: hz is {:.6g} on average", steps, n, n,
                       sum / static_cast<double>(result.hz.size()));
  }
};

}  // namespace

std::unique_ptr<kernel> make_fdtd_2d() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
