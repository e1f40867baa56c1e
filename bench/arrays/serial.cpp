// SPDX-License-Identifier: Apache-2.0
#include "arrays/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_kernel<arrays::kernel, bench::serial_loops>(program);
}
