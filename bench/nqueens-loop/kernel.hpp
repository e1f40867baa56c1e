// SPDX-License-Identifier: Apache-2.0
// The solutions of the n-queens puzzle: a parallel loop over all squares of a row, valid or not, that adds up
// what lies below them. kernel.rs is the same.
#pragma once

#include "common/loops.hpp"
#include "nqueens/board.hpp"

#include <cstddef>
#include <cstdint>

namespace nqueens_loop {

using nqueens::board;

constexpr std::size_t grain = 1;  // a square may stand for nothing or for a large part of the tree

template <class Loops>
class kernel {
 public:
  kernel(const bench::program&, Loops& loops) : loops_(loops) {}

  void prepare(std::uint64_t n) { n_ = static_cast<int>(n); }

  void run() {
    loops_.enter([this] { found_ = solutions(board{}); });
  }

  std::uint64_t check() const { return static_cast<std::uint64_t>(found_); }

 private:
  SENNIT_BENCH_NOINLINE long solutions(const board& placed) {
    if (placed.rows == n_) return 1;
    return loops_.template sum<long>(
        static_cast<std::size_t>(n_), grain, [this, &placed](std::size_t column) {
          const int candidate = static_cast<int>(column);
          return placed.admits(candidate) ? solutions(placed.with(candidate)) : 0;
        });
  }

  Loops& loops_;
  int n_ = 0;
  long found_ = 0;
};

}  // namespace nqueens_loop
