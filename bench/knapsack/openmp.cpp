// SPDX-License-Identifier: Apache-2.0
#include "common/openmp_way.hpp"
#include "knapsack/items.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.grain() != 0) return knapsack::run<bench::coarse_way<bench::openmp_way>>(program);
  return knapsack::run<bench::openmp_way>(program);
}
