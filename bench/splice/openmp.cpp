// SPDX-License-Identifier: Apache-2.0
#include "common/openmp_loops.hpp"
#include "splice/kernels.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return splice::run_with(program,
                          splice::looped<bench::openmp_loops<bench::openmp_schedule::fixed>>(program));
}
