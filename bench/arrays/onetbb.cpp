// SPDX-License-Identifier: Apache-2.0
#include "arrays/kernel.hpp"
#include "common/onetbb_loops.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_with_onetbb<arrays::kernel>(program);
}
