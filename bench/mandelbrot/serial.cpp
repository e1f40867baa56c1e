// SPDX-License-Identifier: Apache-2.0
#include "common/loops.hpp"
#include "mandelbrot/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_kernel<mandelbrot::kernel, bench::serial_loops>(program);
}
