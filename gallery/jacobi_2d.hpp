// jacobi-2d, of PolyBench: each number becomes the mean of itself and its four neighbors.
#pragma once

#include "gallery/sweeps.hpp"

#include <cstdint>
#include <span>

namespace gallery {

class jacobi_2d {
 public:
  static constexpr int phases = 1;

  explicit jacobi_2d(std::int64_t n) : n_(n), u_(n * n) {}

  void initialize() {
    u_.fill([n = n_](std::int64_t i) { return static_cast<double>(i / n * (i % n + 2) % 1021 + 2) / 1021; });
  }

  part whole() const { return {{1, n_ - 1}, {1, n_ - 1}}; }
  static constexpr lead ahead(std::int64_t) { return {1, 1}; }
  SENNIT_GALLERY_SWEEP void sweep(std::int64_t s, const part& part) {
    for (std::int64_t i = part.rows.first; i < part.rows.last; ++i)
      row(u_.read(s) + i * n_, u_.written(s) + i * n_, part.columns);
  }
  sennit::effects effects_of(std::int64_t s, range rows) const {
    return u_.effects_of(s, {rows.first * n_, rows.last * n_}, n_);
  }
  std::span<const double> result(std::int64_t s) const { return u_.result(s); }

 private:
  void row(const double* __restrict in, double* __restrict out, range columns) const {
    const double* const above = in - n_;
    const double* const below = in + n_;
#pragma GCC unroll 4
    for (std::int64_t j = columns.first; j < columns.last; ++j)
      out[j] = 0.2 * (in[j] + in[j - 1] + in[j + 1] + below[j] + above[j]);
  }

  std::int64_t n_;
  two_fields u_;
};

}  // namespace gallery
