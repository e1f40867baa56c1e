// SPDX-License-Identifier: Apache-2.0
#include "common/openmp_loops.hpp"
#include "floyd-warshall/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_with_openmp<floyd_warshall::kernel>(program);
}
