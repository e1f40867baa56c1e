// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb_loops.hpp"
#include "daxpy/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_with_onetbb<daxpy::kernel>(program);
}
