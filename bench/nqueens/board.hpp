// SPDX-License-Identifier: Apache-2.0
// The board is copied into each branch, so that branches share nothing; validity is checked against each
// queen placed. board.rs is the same.
#pragma once

#include <array>
#include <cstdint>

namespace nqueens {

constexpr int widest = 16;

struct board {
  std::array<std::int8_t, widest> column;  // of the queen in each row
  std::int8_t rows = 0;                    // placed so far

  bool admits(int candidate) const {
    for (int row = 0; row < rows; ++row) {
      const int distance = rows - row;
      if (column[row] == candidate || column[row] == candidate - distance ||
          column[row] == candidate + distance)
        return false;
    }
    return true;
  }

  // The first column from `from` that the next row's queen may take, or n.
  int next(int from, int n) const {
    while (from < n && !admits(from)) ++from;
    return from;
  }

  board with(int candidate) const {
    board copy = *this;
    copy.column[copy.rows++] = static_cast<std::int8_t>(candidate);
    return copy;
  }
};

}  // namespace nqueens
