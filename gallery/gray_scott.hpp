// SPDX-License-Identifier: Apache-2.0
// gray-scott: two substances that diffuse in a square, and of which one turns into the other where both are (Pearson, 1993).
#pragma once

#include "gallery/sweeps.hpp"

#include <cstdint>
#include <span>

namespace gallery {

class gray_scott {
 public:
  static constexpr int phases = 1;

  explicit gray_scott(std::int64_t n) : n_(n), u_(n * n, 0), v_(n * n, 2) {}

  void initialize() {
    const auto spots = [n = n_](std::int64_t i) {
      return static_cast<double>((i / n * 3 + i % n * 7) % 101 + 1) / 101;
    };
    u_.fill([&](std::int64_t i) { return 1 - spots(i) / 2; });
    v_.fill([&](std::int64_t i) { return spots(i) / 4; });
  }

  part whole() const { return {{1, n_ - 1}, {1, n_ - 1}}; }
  static constexpr lead ahead(std::int64_t) { return {1, 1}; }
  SENNIT_GALLERY_SWEEP void sweep(std::int64_t s, const part& part) {
    for (std::int64_t i = part.rows.first; i < part.rows.last; ++i)
      row(u_.read(s) + i * n_, v_.read(s) + i * n_, u_.written(s) + i * n_, v_.written(s) + i * n_, n_,
          part.columns);
  }
  sennit::effects effects_of(std::int64_t s, range rows) const {
    const range own{rows.first * n_, rows.last * n_};
    return {sennit::reads(u_.before(s).at(own.grown(n_)), v_.before(s).at(own.grown(n_))),
            sennit::writes(u_.after(s).at(own), v_.after(s).at(own))};
  }
  // Of what is fed.
  std::span<const double> result(std::int64_t s) const { return u_.result(s); }

 private:
  static void row(const double* __restrict u, const double* __restrict v, double* __restrict new_u,
                  double* __restrict new_v, std::int64_t n, range columns) {
    constexpr double feed = 0.04;
    constexpr double kill = 0.06;
    for (std::int64_t j = columns.first; j < columns.last; ++j) {
      const double turned = u[j] * v[j] * v[j];
      const double spread_u = u[j - 1] + u[j + 1] + u[j - n] + u[j + n] - 4 * u[j];
      const double spread_v = v[j - 1] + v[j + 1] + v[j - n] + v[j + n] - 4 * v[j];
      new_u[j] = u[j] + (0.2 * spread_u - turned + feed * (1 - u[j]));
      new_v[j] = v[j] + (0.1 * spread_v + turned - (feed + kill) * v[j]);
    }
  }

  std::int64_t n_;
  two_fields u_;
  two_fields v_;
};

}  // namespace gallery
