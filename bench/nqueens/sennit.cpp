// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "nqueens/board.hpp"

#include <sennit/join.hpp>
#include <sennit/task_group.hpp>

#include <cstdint>

using nqueens::board;

static long squares_from(const board& placed, int column, int n);

static long solutions(const board& placed, int n) {
  if (placed.rows == n) return 1;
  const int column = placed.next(0, n);
  return column == n ? 0 : squares_from(placed, column, n);
}

// A valid square, and beside it the rest of its row.
static long squares_from(const board& placed, int column, int n) {
  const int next = placed.next(column + 1, n);
  if (next == n) return solutions(placed.with(column), n);
  auto [first, rest] = sennit::join([=, &placed] { return solutions(placed.with(column), n); },
                                    [=, &placed] { return squares_from(placed, next, n); });
  return first + rest;
}

SENNIT_BENCH_NOINLINE static long solutions_grouped(const board& placed, int n) {
  if (placed.rows == n) return 1;
  long found[nqueens::widest];
  int squares = 0;
  sennit::task_group group;
  for (int column = placed.next(0, n); column < n;) {
    const int next = placed.next(column + 1, n);
    const auto visit = [&placed, column, n, slot = &found[squares++]] {
      *slot = solutions_grouped(placed.with(column), n);
    };
    if (next == n) {
      visit();
    } else {
      group.spawn(visit);
    }
    column = next;
  }
  group.wait();
  long sum = 0;
  for (int i = 0; i < squares; ++i) sum += found[i];
  return sum;
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::sennit_runtime runtime(program);
  const auto kernel = program.is("task-group") ? solutions_grouped : solutions;
  return program.run(
      [&](std::uint64_t n) { return runtime.run([&] { return kernel(board{}, static_cast<int>(n)); }); });
}
