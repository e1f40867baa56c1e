// SPDX-License-Identifier: Apache-2.0
#include "common/openmp_loops.hpp"
#include "mandelbrot/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_with_openmp<mandelbrot::kernel>(program);
}
