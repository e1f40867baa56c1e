// SPDX-License-Identifier: Apache-2.0
#include "common/openmp_loops.hpp"
#include "phases/kernels.hpp"

#include <cstddef>

// Recursive tasks, down to a block.
class task_halves {
 public:
  explicit task_halves(bench::program& program) : program_(program) {
    program.describe(bench::openmp_version());
  }

  template <class F>
  void enter(F&& f) {
    bench::openmp_team(program_, [&] {
      f();
      return 0;
    });
  }
  template <class Body>
  void each(std::size_t n, std::size_t, const Body& body) const {
    halve(0, n, body);
  }

 private:
  template <class Body>
  static void halve(std::size_t from, std::size_t to, const Body& body) {
    if (to - from <= 1) return body(from);
    const std::size_t middle = from + (to - from) / 2;
#pragma omp task shared(body)
    halve(from, middle, body);
    halve(middle, to, body);
#pragma omp taskwait
  }

  const bench::program& program_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("tasks")) return phases::run_looped<task_halves>(program);
  return phases::run_looped<bench::openmp_loops<bench::openmp_schedule::fixed>>(program);
}
