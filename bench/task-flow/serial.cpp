// SPDX-License-Identifier: Apache-2.0
#include "task-flow/kernel.hpp"

using task_flow::tile;
using task_flow::tiles;

struct calls {
  void operator()(tile* a) const { tiles::factorize(a); }
  void solve(const tile* factor, tile* a) const { tiles::solve(factor, a); }
  void update(const tile* left, tile* a) const { tiles::update(left, a); }
  void operator()(const tile* left, const tile* right, tile* a) const { tiles::update(left, right, a); }
};

struct at_once {
  void run(tiles& all) { all.each(calls()); }
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return task_flow::run_with(program, at_once());
}
