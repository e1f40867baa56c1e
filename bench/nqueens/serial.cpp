// SPDX-License-Identifier: Apache-2.0
#include "common/program.hpp"
#include "nqueens/board.hpp"

#include <cstdint>

using nqueens::board;

SENNIT_BENCH_NOINLINE static long solutions(const board& placed, int n) {
  if (placed.rows == n) return 1;
  long sum = 0;
  for (int column = placed.next(0, n); column < n; column = placed.next(column + 1, n))
    sum += solutions(placed.with(column), n);
  return sum;
}

// All valid squares of a row but the last are forked.
static long forks(const board& placed, int n) {
  if (placed.rows == n) return 0;
  long sum = 0, squares = 0;
  for (int column = placed.next(0, n); column < n; column = placed.next(column + 1, n), ++squares)
    sum += forks(placed.with(column), n);
  return squares == 0 ? 0 : sum + squares - 1;
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  program.forks(static_cast<std::uint64_t>(forks(board{}, static_cast<int>(program.size()))));
  return program.run([](std::uint64_t n) { return solutions(board{}, static_cast<int>(n)); });
}
