// SPDX-License-Identifier: Apache-2.0
// convolution-2d: a square of numbers, again and again convolved with the same 5 x 5 weights, which blur and shift a little.
#pragma once

#include "gallery/jacobi_2d.hpp"

#include <cstdint>

namespace gallery {

struct five_by_five {
  static constexpr std::int64_t reach = 2;
  // Their sum is 1. They are not the product of a row and a column, so all of them are needed.
  static constexpr double weights[5][5] = {{0.01, 0.02, 0.03, 0.02, 0.01},
                                           {0.02, 0.06, 0.08, 0.05, 0.02},
                                           {0.03, 0.08, 0.12, 0.08, 0.03},
                                           {0.02, 0.05, 0.07, 0.06, 0.02},
                                           {0.01, 0.02, 0.04, 0.02, 0.01}};

  static void row(const double* __restrict in, double* __restrict out, std::int64_t n, range columns) {
    for (std::int64_t j = columns.first; j < columns.last; ++j) {
      double sum = 0;
#pragma GCC unroll 5
      for (std::int64_t r = -reach; r <= reach; ++r)
#pragma GCC unroll 5
        for (std::int64_t c = -reach; c <= reach; ++c)
          sum += weights[r + reach][c + reach] * in[r * n + j + c];
      out[j] = sum;
    }
  }
};
using convolution_2d = square_sweeps<five_by_five>;

}  // namespace gallery
