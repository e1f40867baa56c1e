// SPDX-License-Identifier: Apache-2.0
#include "stages/items.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return stages::run_with(program, [](stages::items& all) {
    while (all.has_more()) all.last(all.third(all.second(all.first(all.next()))));
  });
}
