// SPDX-License-Identifier: Apache-2.0
#include "common/points.hpp"

#include "spmv/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return bench::run_kernel<spmv::nested_kernel, bench::points>(program);
}
