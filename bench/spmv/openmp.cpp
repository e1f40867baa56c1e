// SPDX-License-Identifier: Apache-2.0
#include "common/openmp_loops.hpp"
#include "spmv/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("nested")) return bench::run_kernel<spmv::nested_kernel, bench::openmp_task_loops>(program);
  program.knows("rows");
  return bench::run_with_openmp<spmv::rows_kernel>(program);
}
