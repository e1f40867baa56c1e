// SPDX-License-Identifier: Apache-2.0
// mg: Poisson's equation by multigrid, with the problems and answers of the NAS Parallel Benchmarks.
#include "gallery/mg.hpp"

#include "gallery/graphs.hpp"
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/staged_kernels.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

struct program {
  static constexpr description about{.name = "mg", .summary = "Poisson's equation by multigrid (NAS MG)"};

  std::string size = "W";
  std::string variant = "loops";
  color_choice colors;
  mg_charges charges;

  std::vector<parameter> parameters() {
    return {{.name = "class", .meaning = "which problem", .value = &size, .words = {"S", "W", "A"}},
            {.name = "variant",
             .meaning = "several loops for each cycle, or one graph of tasks for all",
             .value = &variant,
             .words = {"loops", "graph"}},
            colors.which()};
  }
  void choose_demo() {}
  void prepare() { charges = mg_charges_of(mg_class_of(size)); }

  template <class P>
  double run() const {
    const mg_class& problem = mg_class_of(size);
    mg solver(problem, charges);
    if (variant == "graph") {
      run_graph<P>(graph_of(stages_of(solver, problem.iterations)), colors);
    } else {
      const loops<P> run;
      solver.initialize(run);
      for (unsigned i = 0; i < problem.iterations; ++i) solver.step(run);
    }
    return solver.norm();
  }

  std::string complaint(double norm) const {
    const double right = mg_class_of(size).norm;
    if (std::abs(norm - right) <= 1e-8 * right) return {};
    return fmt::format("what is left has the norm {:.13e}; for class {} it is {:.13e}", norm, size, right);
  }

  std::string describe(double norm) const {
    const mg_class& problem = mg_class_of(size);
    return fmt::format("class {}, {} cells a side, {} cycles: norm {:.12e}", size, 1U << problem.levels,
                       problem.iterations, norm);
  }
};

}  // namespace

std::unique_ptr<kernel> make_mg() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
