// SPDX-License-Identifier: Apache-2.0
// apop: the price of an American put option, backwards in time from its expiry, by explicit differences over the price of what
// may be sold. At each price and time, the holder sells at once if that brings more.
#pragma once

#include "gallery/sweeps.hpp"

#include <cstdint>
#include <span>

namespace gallery {

class apop {
 public:
  static constexpr int phases = 1;

  explicit apop(std::int64_t n) : n_(n), u_(n), down_(n, 2), stay_(n, 3), up_(n, 4), payoff_(n, 5) {}

  void initialize() {
    constexpr double strike = 100;
    constexpr double interest = 0.06;
    constexpr double volatility = 0.3;
    // The largest step of time with which the scheme is stable, and a bit less.
    const double time = 0.9 / (volatility * volatility * static_cast<double>(n_) * static_cast<double>(n_));
    for (std::int64_t i = 0; i < n_; ++i) {
      const auto x = static_cast<double>(i);
      const double spread = volatility * volatility * x * x;
      down_.data()[i] = 0.5 * time * (spread - interest * x);
      stay_.data()[i] = 1 - time * (spread + interest);
      up_.data()[i] = 0.5 * time * (spread + interest * x);
      const double gain = strike - 4 * strike * x / static_cast<double>(n_);
      payoff_.data()[i] = gain > 0 ? gain : 0;
    }
    u_.fill([this](std::int64_t i) { return payoff_.data()[i]; });
  }

  part whole() const { return {{1, n_ - 1}}; }
  static constexpr lead ahead(std::int64_t) { return {1}; }
  SENNIT_GALLERY_SWEEP void sweep(std::int64_t s, const part& part) {
    const double* const __restrict in = u_.read(s);
    double* const __restrict out = u_.written(s);
    const double* const __restrict down = down_.data();
    const double* const __restrict stay = stay_.data();
    const double* const __restrict up = up_.data();
    const double* const __restrict payoff = payoff_.data();
#pragma GCC unroll 4
    for (std::int64_t i = part.rows.first; i < part.rows.last; ++i) {
      const double kept = down[i] * in[i - 1] + stay[i] * in[i] + up[i] * in[i + 1];
      out[i] = kept > payoff[i] ? kept : payoff[i];
    }
  }
  // What nobody writes is not mentioned.
  sennit::effects effects_of(std::int64_t s, range rows) const { return u_.effects_of(s, rows, 1); }
  std::span<const double> result(std::int64_t s) const { return u_.result(s); }

 private:
  std::int64_t n_;
  two_fields u_;
  field<double> down_, stay_, up_, payoff_;
};

}  // namespace gallery
