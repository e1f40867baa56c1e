// SPDX-License-Identifier: Apache-2.0
// Stencils over a cube of numbers, and jacobi-3d: each number becomes the weighted mean of itself and its six neighbors. Rows are
// planes of the cube, and columns are the rows of these; the numbers of one of them are not divided.
#pragma once

#include "gallery/sweeps.hpp"

#include <cstdint>
#include <span>

namespace gallery {

// Stencil::row(in, out, n) computes the numbers of a row from those beside it.
template <class Stencil>
class cube_sweeps {
 public:
  static constexpr int phases = 1;

  explicit cube_sweeps(std::int64_t n) : n_(n), u_(n * n * n) {}

  void initialize() {
    u_.fill([n = n_](std::int64_t i) {
      return static_cast<double>((i / n + 3) * (i % n + 2) % 1021 + 2) / 1021;
    });
  }

  part whole() const { return {{1, n_ - 1}, {1, n_ - 1}}; }
  static constexpr lead ahead(std::int64_t) { return {1, 1}; }
  SENNIT_GALLERY_SWEEP void sweep(std::int64_t s, const part& part) {
    for (std::int64_t i = part.rows.first; i < part.rows.last; ++i)
      for (std::int64_t j = part.columns.first; j < part.columns.last; ++j)
        Stencil::row(u_.read(s) + (i * n_ + j) * n_, u_.written(s) + (i * n_ + j) * n_, n_);
  }
  sennit::effects effects_of(std::int64_t s, range rows) const {
    return u_.effects_of(s, {rows.first * n_ * n_, rows.last * n_ * n_}, n_ * n_);
  }
  // For some of the columns.
  sennit::effects effects_of(std::int64_t s, const part& part) const {
    const auto box = [this](const double* u, range planes, range rows) {
      return sennit::memory_box<3>(u, {n_ * n_, n_}, {planes, rows, {0, n_}});
    };
    return {sennit::reads(box(u_.read(s), part.rows.grown(1), part.columns.grown(1))),
            sennit::writes(box(u_.read(s + 1), part.rows, part.columns))};
  }
  std::span<const double> result(std::int64_t s) const { return u_.result(s); }

 private:
  std::int64_t n_;
  two_fields u_;
};

struct seven_points {
  static void row(const double* __restrict in, double* __restrict out, std::int64_t n) {
    const double* const above = in - n;
    const double* const below = in + n;
    const double* const front = in - n * n;
    const double* const back = in + n * n;
#pragma GCC unroll 4
    for (std::int64_t k = 1; k < n - 1; ++k)
      out[k] = 0.4 * in[k] + 0.1 * (in[k - 1] + in[k + 1] + above[k] + below[k] + front[k] + back[k]);
  }
};
using jacobi_3d = cube_sweeps<seven_points>;

}  // namespace gallery
