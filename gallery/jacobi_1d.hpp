// SPDX-License-Identifier: Apache-2.0
// jacobi-1d, of PolyBench: each number becomes the mean of itself and its two neighbors.
#pragma once

#include "gallery/sweeps.hpp"

#include <cstdint>
#include <span>

namespace gallery {

class jacobi_1d {
 public:
  static constexpr int phases = 1;

  explicit jacobi_1d(std::int64_t n) : n_(n), u_(n) {}

  void initialize() {
    u_.fill([](std::int64_t i) { return static_cast<double>(i % 1021 + 2) / 1021; });
  }

  part whole() const { return {{1, n_ - 1}}; }
  static constexpr lead ahead(std::int64_t) { return {1}; }
  SENNIT_GALLERY_SWEEP void sweep(std::int64_t s, const part& part) {
    const double* const __restrict in = u_.read(s);
    double* const __restrict out = u_.written(s);
#pragma GCC unroll 4
    for (std::int64_t i = part.rows.first; i < part.rows.last; ++i)
      out[i] = 0.33333 * (in[i - 1] + in[i] + in[i + 1]);
  }
  sennit::effects effects_of(std::int64_t s, range rows) const { return u_.effects_of(s, rows, 1); }
  std::span<const double> result(std::int64_t s) const { return u_.result(s); }

 private:
  std::int64_t n_;
  two_fields u_;
};

}  // namespace gallery
