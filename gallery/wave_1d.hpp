// SPDX-License-Identifier: Apache-2.0
// wave-1d: a wave in one dimension, by differences of order 4 in space and 2 in time. After every eight steps of time, a sweep adds
// up the squares of all numbers: those of each small group for itself, and the groups in the end. So the sum is the same
// however a sweep is cut.
#pragma once

#include "gallery/sweeps.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gallery {

class wave_1d {
 public:
  static constexpr std::int64_t times = 8;  // the sweeps between two sums
  static constexpr int phases = times + 1;
  // The sums that are told, each behind the numbers; where there are more, they are added to these.
  static constexpr std::int64_t sums_told = 16;

  explicit wave_1d(std::int64_t n)
      : n_(n), u_{field<double>(n + sums_told, 0), field<double>(n, 1)}, squares_(sums_told * groups(), 2) {}

  void initialize() {
    for (field<double>& u : u_)
      for (std::int64_t i = 0; i < n_; ++i) u.data()[i] = static_cast<double>(i * i % 1021 - 510) / 1021;
    std::fill_n(u_[0].data() + n_, sums_told, 0.0);
    std::fill_n(squares_.data(), squares_.size(), 0.0);
  }

  part whole() const { return {{reach, n_ - reach}}; }
  // A sum needs the last number of the last group that begins in its part; the sweep after it needs no sum.
  static constexpr lead ahead(std::int64_t s) {
    if (is_sum(s)) return {group - 1};
    return {s % phases == 0 ? 0 : reach};
  }
  SENNIT_GALLERY_SWEEP void sweep(std::int64_t s, const part& part) {
    if (is_sum(s)) {
      add_squares(squares_.data() + sum_of(s) * groups(), begun_in(part.rows));
    } else {
      advance(now(s).data(), next(s).data(), part.rows);
    }
  }
  // As if each part had the end of a group: then the distance to the sweep before is everywhere the same.
  sennit::effects effects_of(std::int64_t s, range rows) const {
    if (!is_sum(s)) return {sennit::reads(now(s).at(rows.grown(reach))), sennit::writes(next(s).at(rows))};
    const range some = begun_in(rows);
    const std::int64_t before = sum_of(s) * groups();
    return {sennit::reads(u_[0].at(range{rows.first, rows.last + group - 1}.within(whole().rows))),
            sennit::writes(squares_.at({before + some.first, before + some.last}))};
  }
  void finish() {
    for (std::int64_t sum = 0; sum < sums_told; ++sum)
      for (std::int64_t i = 0; i < groups(); ++i)
        u_[0].data()[n_ + sum] += squares_.data()[sum * groups() + i];
  }
  // The numbers, and the sums behind them.
  std::span<const double> result(std::int64_t) const { return u_[0].span(); }

 private:
  static constexpr std::int64_t reach = 2;
  static constexpr std::int64_t group = 256;

  static constexpr bool is_sum(std::int64_t s) { return s % phases == times; }
  static constexpr std::int64_t sum_of(std::int64_t s) { return s / phases % sums_told; }
  std::int64_t groups() const { return (n_ - 2 * reach + group - 1) / group; }
  // The groups whose first number is one of these.
  static constexpr range begun_in(range rows) {
    return {(rows.first - reach + group - 1) / group, (rows.last - reach + group - 1) / group};
  }

  // Steps of time go to and fro; their number between two sums is even.
  const field<double>& now(std::int64_t s) const { return u_[static_cast<std::size_t>(s % phases % 2)]; }
  const field<double>& next(std::int64_t s) const { return now(s % phases + 1); }
  field<double>& next(std::int64_t s) { return u_[static_cast<std::size_t>((s % phases + 1) % 2)]; }

  // What was before, two steps back, becomes what is next.
  static void advance(const double* __restrict u, double* __restrict next, range r) {
#pragma GCC unroll 4
    for (std::int64_t i = r.first; i < r.last; ++i) {
      const double bend = 16 * (u[i - 1] + u[i + 1]) - (u[i - 2] + u[i + 2]) - 30 * u[i];
      next[i] = 2 * u[i] - next[i] + 0.25 / 12 * bend;
    }
  }
  // Several sums at a time, as the processor need not wait for one addition before it begins the next.
  void add_squares(double* squares, range groups) const {
    constexpr std::int64_t lanes = 8;
    for (std::int64_t g = groups.first; g < groups.last; ++g) {
      const double* const u = u_[0].data() + reach + g * group;
      const std::int64_t size = std::min(group, n_ - 2 * reach - g * group);
      double sums[lanes] = {};
      std::int64_t i = 0;
      for (; i + lanes <= size; i += lanes)
        for (std::int64_t k = 0; k < lanes; ++k) sums[k] += u[i + k] * u[i + k];
      for (; i < size; ++i) sums[0] += u[i] * u[i];
      for (std::int64_t k = 1; k < lanes; ++k) sums[0] += sums[k];
      squares[g] += sums[0];
    }
  }

  std::int64_t n_;
  std::array<field<double>, 2> u_;
  field<double> squares_;
};

}  // namespace gallery
