// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "nqueens/board.hpp"

#include <cstdint>

using nqueens::board;

SENNIT_BENCH_NOINLINE static long solutions(const board& placed, int n) {
  if (placed.rows == n) return 1;
  long found[nqueens::widest];
  int squares = 0;
  tbb::task_group group;
  for (int column = placed.next(0, n); column < n;) {
    const int next = placed.next(column + 1, n);
    const auto visit = [&placed, column, n, slot = &found[squares++]] {
      *slot = solutions(placed.with(column), n);
    };
    if (next == n) {
      visit();
    } else {
      group.run(visit);
    }
    column = next;
  }
  group.wait();
  long sum = 0;
  for (int i = 0; i < squares; ++i) sum += found[i];
  return sum;
}

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::onetbb_version());
  bench::onetbb tbb(program);
  return program.run(
      [&](std::uint64_t n) { return tbb.run([&] { return solutions(board{}, static_cast<int>(n)); }); });
}
