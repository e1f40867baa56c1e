// SPDX-License-Identifier: Apache-2.0
#include "common/openmp_loops.hpp"
#include "nqueens-loop/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_kernel<nqueens_loop::kernel, bench::openmp_task_loops>(program);
}
