// SPDX-License-Identifier: Apache-2.0
#include "arrays/kernel.hpp"
#include "common/openmp_loops.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_with_openmp<arrays::kernel>(program);
}
