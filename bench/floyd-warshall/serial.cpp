// SPDX-License-Identifier: Apache-2.0
#include "common/loops.hpp"
#include "floyd-warshall/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_kernel<floyd_warshall::kernel, bench::serial_loops>(program);
}
