// SPDX-License-Identifier: Apache-2.0
#include "common/sennit_loops.hpp"
#include "floyd-warshall/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_with_sennit<floyd_warshall::kernel>(program);
}
