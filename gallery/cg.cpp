// SPDX-License-Identifier: Apache-2.0
// cg: the smallest eigenvalue of a sparse matrix, with the problems and answers of the NAS Parallel Benchmarks.
#include "gallery/cg.hpp"

#include "gallery/graphs.hpp"
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/staged_kernels.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

struct solution {
  double zeta;
  double residual;

  bool operator==(const solution&) const = default;
};

struct program {
  static constexpr description about{.name = "cg",
                                     .summary = "smallest eigenvalue by conjugate gradients (NAS CG)"};

  std::string size = "W";
  std::int64_t block = 64;
  std::string variant = "loops";
  color_choice colors;
  compressed_rows matrix;

  std::vector<parameter> parameters() {
    return {{.name = "class", .meaning = "which problem", .value = &size, .words = {"S", "W", "A"}},
            {"block", "rows that are not divided any further", &block, 1, 1 << 14},
            {.name = "variant",
             .meaning = "several loops for each step, or one graph of tasks for all",
             .value = &variant,
             .words = {"loops", "graph"}},
            colors.which()};
  }
  void choose_demo() { size = std::string("A"); }
  void prepare() { matrix = cg_matrix(cg_class_of(size)); }

  template <class P>
  solution run() const {
    const cg_class& problem = cg_class_of(size);
    cg solver(problem, matrix, static_cast<std::size_t>(block));
    if (variant == "graph") {
      run_graph<P>(graph_of(stages_of(solver, problem.iterations)), colors);
    } else {
      const loops<P> run;
      solver.initialize(run);
      for (unsigned i = 0; i < problem.iterations * cg::steps_a_system; ++i) solver.step(run);
    }
    return {solver.zeta(), solver.residual()};
  }

  std::string complaint(const solution& result) const {
    const double right = cg_class_of(size).zeta;
    if (std::abs(result.zeta - right) <= 1e-10) return {};
    return fmt::format("zeta is {:.13f}; for class {} it is {:.13f}", result.zeta, size, right);
  }

  std::string describe(const solution& result) const {
    return fmt::format("class {}, {} rows, {} entries: zeta = {:.12f}, residual {:.1e}", size, matrix.rows(),
                       matrix.values.size(), result.zeta, result.residual);
  }
};

}  // namespace

std::unique_ptr<kernel> make_cg() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
