// SPDX-License-Identifier: Apache-2.0
#include "common/sennit_loops.hpp"
#include "nqueens-loop/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("dac")) return bench::run_kernel<nqueens_loop::kernel, bench::sennit_dac_loops>(program);
  return bench::run_with_sennit<nqueens_loop::kernel>(program);
}
