// SPDX-License-Identifier: Apache-2.0
#include "common/sennit_way.hpp"
#include "mergesort/runs.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return mergesort::run<bench::sennit_way>(program);
}
