// SPDX-License-Identifier: Apache-2.0
#include "common/serial_way.hpp"
#include "mergesort/runs.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return mergesort::run<bench::serial_way>(program);
}
