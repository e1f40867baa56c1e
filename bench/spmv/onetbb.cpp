// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb_loops.hpp"
#include "spmv/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("nested")) return bench::run_with_onetbb<spmv::nested_kernel>(program);
  program.knows("rows");
  return bench::run_with_onetbb<spmv::rows_kernel>(program);
}
