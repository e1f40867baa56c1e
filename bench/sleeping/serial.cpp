// SPDX-License-Identifier: Apache-2.0
#include "common/loops.hpp"
#include "sleeping/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_kernel<sleeping::kernel, bench::serial_loops>(program);
}
