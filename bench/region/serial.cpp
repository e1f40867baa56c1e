// SPDX-License-Identifier: Apache-2.0
#include "common/loops.hpp"
#include "region/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_kernel<region::kernel, bench::serial_loops>(program);
}
