// SPDX-License-Identifier: Apache-2.0
#include "common/points.hpp"

#include "srad/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_kernel<srad::kernel, bench::points>(program);
}
