// SPDX-License-Identifier: Apache-2.0
#include "common/sennit_loops.hpp"
#include "spmv/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  // Heartbeats: as few parts as they come to, whatever is parallel.
  const bool beats = program.is("beat100") || program.is("beat20");
  if (program.is("nested") || beats) return bench::run_with_sennit<spmv::nested_kernel>(program);
  program.knows("rows");
  return bench::run_with_sennit<spmv::rows_kernel>(program);
}
