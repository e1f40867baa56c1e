// SPDX-License-Identifier: Apache-2.0
#include "common/openmp.hpp"

#include "graph-kernels/kernels.hpp"

#include <algorithm>

// Loops with a barrier after each stage or iteration, or after each diagonal of the table.
template <omp_sched_t Kind>
class in_phases {
 public:
  explicit in_phases(bench::program& program) : workers_(static_cast<int>(program.workers())) {
    program.describe(bench::openmp_version());
    omp_set_schedule(Kind, 0);
  }

  template <class Stages>
  void stages(const Stages& all) const {
#pragma omp parallel num_threads(workers_)
    for (std::size_t s = 0; s < all.count; ++s) {
      const std::size_t parts = all.width(s);
#pragma omp for schedule(runtime)
      for (std::size_t i = 0; i < parts; ++i) all.body(s, i);
    }
  }
  template <class Pages, class Needs>
  void pages(Pages& pages, const Needs&, std::uint32_t iterations) const {
    const std::size_t blocks = pages.blocks();
#pragma omp parallel num_threads(workers_)
    {
#pragma omp for schedule(runtime)
      for (std::size_t b = 0; b < blocks; ++b) pages.initialize(b);
      for (std::uint32_t i = 1; i <= iterations; ++i) {
#pragma omp for schedule(runtime)
        for (std::size_t b = 0; b < blocks; ++b) pages.iterate(i, b);
      }
    }
  }
  template <class Table>
  void align(Table& table) const {
    const std::size_t rows = table.block_rows();
    const std::size_t columns = table.block_columns();
#pragma omp parallel num_threads(workers_)
    for (std::size_t d = 0; d + 1 < rows + columns; ++d) {
      const std::size_t first = d < columns ? 0 : d - columns + 1;
      const std::size_t last = std::min(d + 1, rows);
#pragma omp for schedule(runtime)
      for (std::size_t i = first; i < last; ++i) table.compute(i, d - i);
    }
  }

 private:
  int workers_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("guided")) return graph_kernels::run_with(program, in_phases<omp_sched_guided>(program));
  return graph_kernels::run_with(program, in_phases<omp_sched_static>(program));
}
