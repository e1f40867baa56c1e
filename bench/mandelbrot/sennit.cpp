// SPDX-License-Identifier: Apache-2.0
#include "common/sennit_loops.hpp"
#include "mandelbrot/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("dac")) return bench::run_kernel<mandelbrot::kernel, bench::sennit_dac_loops>(program);
  return bench::run_with_sennit<mandelbrot::kernel>(program);
}
