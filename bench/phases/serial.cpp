// SPDX-License-Identifier: Apache-2.0
#include "phases/kernels.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return phases::run_looped<bench::serial_loops>(program);
}
