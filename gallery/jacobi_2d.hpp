// SPDX-License-Identifier: Apache-2.0
// Stencils over a square of numbers, and jacobi-2d, of PolyBench: each number becomes the mean of itself and its four neighbors.
#pragma once

#include "gallery/sweeps.hpp"

#include <cstdint>
#include <span>

namespace gallery {

// Stencil::row(in, out, n, columns) computes some columns of a row, for which it needs `reach` numbers more to each side.
template <class Stencil>
class square_sweeps {
  static constexpr std::int64_t reach = Stencil::reach;

 public:
  static constexpr int phases = 1;

  explicit square_sweeps(std::int64_t n) : n_(n), u_(n * n) {}

  void initialize() {
    u_.fill([n = n_](std::int64_t i) { return static_cast<double>(i / n * (i % n + 2) % 1021 + 2) / 1021; });
  }

  part whole() const { return {{reach, n_ - reach}, {reach, n_ - reach}}; }
  static constexpr lead ahead(std::int64_t) { return {reach, reach}; }
  SENNIT_GALLERY_SWEEP void sweep(std::int64_t s, const part& part) {
    for (std::int64_t i = part.rows.first; i < part.rows.last; ++i)
      Stencil::row(u_.read(s) + i * n_, u_.written(s) + i * n_, n_, part.columns);
  }
  sennit::effects effects_of(std::int64_t s, range rows) const {
    return u_.effects_of(s, {rows.first * n_, rows.last * n_}, reach * n_);
  }
  std::span<const double> result(std::int64_t s) const { return u_.result(s); }

 private:
  std::int64_t n_;
  two_fields u_;
};

struct five_points {
  static constexpr std::int64_t reach = 1;

  static void row(const double* __restrict in, double* __restrict out, std::int64_t n, range columns) {
    const double* const above = in - n;
    const double* const below = in + n;
#pragma GCC unroll 4
    for (std::int64_t j = columns.first; j < columns.last; ++j)
      out[j] = 0.2 * (in[j] + in[j - 1] + in[j + 1] + below[j] + above[j]);
  }
};
using jacobi_2d = square_sweeps<five_points>;

}  // namespace gallery
