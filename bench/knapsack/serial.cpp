// SPDX-License-Identifier: Apache-2.0
#include "common/serial_way.hpp"
#include "knapsack/items.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return knapsack::run<bench::serial_way>(program);
}
