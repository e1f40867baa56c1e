// SPDX-License-Identifier: Apache-2.0
// seidel-2d, of PolyBench: each number becomes the mean of itself and its eight neighbors, in place and one after the other, so
// four of these are new already. It waits for the chain of additions and the division along a row rather than for memory.
#pragma once

#include "gallery/sweeps.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace gallery {

class seidel_2d {
 public:
  static constexpr int phases = 1;
  static constexpr bool chained = true;

  explicit seidel_2d(std::int64_t n) : n_(n), u_(n * n, 0) {}

  void initialize() {
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = 0; j < n_; ++j)
        u_.data()[i * n_ + j] = static_cast<double>(i * (j + 2) % 1021 + 2) / 1021;
  }

  // Column c of row i is column c - i of the matrix: so each number needs those of earlier rows and columns only.
  part whole() const { return {{1, n_ - 1}, {2, 2 * n_ - 3}}; }
  static constexpr lead ahead(std::int64_t) { return {1, 2}; }
  SENNIT_GALLERY_SWEEP void sweep(std::int64_t, const part& part) {
    for (std::int64_t i = part.rows.first; i < part.rows.last; ++i)
      for (std::int64_t j = std::max<std::int64_t>(1, part.columns.first - i);
           j < std::min(n_ - 1, part.columns.last - i); ++j)
        update(i * n_ + j);
  }
  // As many sweeps over `row` and those before it, each a row behind the one before and two columns: so that the processor has
  // as many chains to go on with.
  template <int sweeps>
  void sweep_together(std::int64_t row) {
    constexpr std::int64_t last_lag = 2 * (sweeps - 1);
    const auto some = [&](std::int64_t j) {
      for (int k = 0; k < sweeps; ++k)
        if (const std::int64_t column = j - 2 * k; column >= 1 && column < n_ - 1)
          update((row - k) * n_ + column);
    };
    for (std::int64_t j = 1; j < 1 + last_lag; ++j) some(j);
    double left[sweeps];
    for (int k = 0; k < sweeps; ++k) left[k] = u_.data()[(row - k) * n_ + last_lag - 2 * k];
    for (std::int64_t j = 1 + last_lag; j < n_ - 1; ++j) {
#pragma GCC unroll 8
      for (int k = 0; k < sweeps; ++k) {
        double* const at = u_.data() + (row - k) * n_ + j - 2 * k;
        *at = left[k] = mean(at, left[k]);
      }
    }
    for (std::int64_t j = n_ - 1; j < n_ - 1 + last_lag; ++j) some(j);
  }
  sennit::effects effects_of(std::int64_t, range rows) const {
    const auto lines = [this](range r) { return u_.at({r.first * n_, r.last * n_}); };
    return {sennit::reads(lines(rows.grown(1))), sennit::writes(lines(rows))};
  }
  std::span<const double> result(std::int64_t) const { return u_.span(); }

 private:
  double mean(const double* at, double left) const {
    const double* const above = at - n_;
    const double* const below = at + n_;
    return (above[-1] + above[0] + above[1] + left + at[0] + at[1] + below[-1] + below[0] + below[1]) / 9.0;
  }
  void update(std::int64_t at) { u_.data()[at] = mean(u_.data() + at, u_.data()[at - 1]); }

  std::int64_t n_;
  field<double> u_;
};

}  // namespace gallery
