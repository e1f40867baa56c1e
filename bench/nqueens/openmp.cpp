// SPDX-License-Identifier: Apache-2.0
#include "common/openmp.hpp"

#include "nqueens/board.hpp"

#include <cstdint>

using nqueens::board;

SENNIT_BENCH_NOINLINE static long solutions(const board& placed, int n) {
  if (placed.rows == n) return 1;
  long found[nqueens::widest];
  int squares = 0;
  for (int column = placed.next(0, n); column < n;) {
    const int next = placed.next(column + 1, n);
    long* const slot = &found[squares++];
    if (next == n) {
      *slot = solutions(placed.with(column), n);
    } else {
#pragma omp task shared(placed) firstprivate(column, n, slot)
      *slot = solutions(placed.with(column), n);
    }
    column = next;
  }
#pragma omp taskwait
  long sum = 0;
  for (int i = 0; i < squares; ++i) sum += found[i];
  return sum;
}

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::openmp_version());
  return program.run([&](std::uint64_t n) {
    return bench::openmp_team(program, [&] { return solutions(board{}, static_cast<int>(n)); });
  });
}
