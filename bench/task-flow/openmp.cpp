// SPDX-License-Identifier: Apache-2.0
#include "common/openmp.hpp"

#include "task-flow/kernel.hpp"

using task_flow::tile;
using task_flow::tiles;

// One thread makes a task for each, which depends on its tiles.
class depend {
 public:
  explicit depend(bench::program& program) : program_(program) { program.describe(bench::openmp_version()); }

  void run(tiles& all) {
    bench::openmp_team(program_, [&] {
      all.each(submission());
      return 0;
    });
  }

 private:
  struct submission {
    void operator()(tile* a) const {
#pragma omp task default(none) firstprivate(a) depend(inout : a[0])
      tiles::factorize(a);
    }
    void solve(const tile* factor, tile* a) const {
#pragma omp task default(none) firstprivate(factor, a) depend(in : factor[0]) depend(inout : a[0])
      tiles::solve(factor, a);
    }
    void update(const tile* left, tile* a) const {
#pragma omp task default(none) firstprivate(left, a) depend(in : left[0]) depend(inout : a[0])
      tiles::update(left, a);
    }
    void operator()(const tile* left, const tile* right, tile* a) const {
#pragma omp task default(none) firstprivate(left, right, a) depend(in : left[0], right[0])                   \
    depend(inout : a[0])
      tiles::update(left, right, a);
    }
  };

  const bench::program& program_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return task_flow::run_with(program, depend(program));
}
