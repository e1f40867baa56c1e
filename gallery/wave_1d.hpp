// wave-1d: a wave in one dimension, by differences of order 4 in space and 2 in time. After every eight steps of time, a sweep adds
// up the squares of all numbers.
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
      : n_(n),
        u_{field<double>(n + sums_told, 0), field<double>(n, 1)},
        squares_(sums_told * chunks() * lanes, 2) {}

  void initialize() {
    for (field<double>& u : u_)
      for (std::int64_t i = 0; i < n_; ++i) u.data()[i] = static_cast<double>(i * i % 1021 - 510) / 1021;
    std::fill_n(u_[0].data() + n_, sums_told, 0.0);
    std::fill_n(squares_.data(), squares_.size(), 0.0);
  }

  part whole() const { return {{reach, n_ - reach}}; }
  // A sum is taken of what has just been computed; the sweep after it needs no sum.
  static constexpr lead ahead(std::int64_t s) { return {is_sum(s) ? 0 : reach}; }
  // The squares of so many numbers are added up one after the other.
  static constexpr std::int64_t row_unit() { return chunk; }

  SENNIT_GALLERY_SWEEP void sweep(std::int64_t s, const part& part) {
    if (is_sum(s)) {
      add_squares(squares_.data() + sum_of(s) * chunks() * lanes, part.rows);
    } else {
      advance(now(s).data(), next(s).data(), part.rows);
    }
  }
  sennit::effects effects_of(std::int64_t s, range rows) const {
    if (!is_sum(s)) return {sennit::reads(now(s).at(rows.grown(reach))), sennit::writes(next(s).at(rows))};
    const std::int64_t first = sum_of(s) * chunks();
    const range some{first + (rows.first - reach) / chunk, first + (rows.last - 1 - reach) / chunk + 1};
    return {sennit::reads(u_[0].at(rows)),
            sennit::writes(squares_.at({some.first * lanes, some.last * lanes}))};
  }
  void finish() {
    for (std::int64_t sum = 0; sum < sums_told; ++sum)
      for (std::int64_t i = 0; i < chunks() * lanes; ++i)
        u_[0].data()[n_ + sum] += squares_.data()[sum * chunks() * lanes + i];
  }
  // The numbers, and the sums behind them.
  std::span<const double> result(std::int64_t) const { return u_[0].span(); }

 private:
  static constexpr std::int64_t reach = 2;
  static constexpr std::int64_t chunk = 4096;
  // Each adds up every eighth number of a chunk. So the order is the same however a sweep is cut, and the processor has several
  // additions to go on with.
  static constexpr std::int64_t lanes = 8;

  static constexpr bool is_sum(std::int64_t s) { return s % phases == times; }
  static constexpr std::int64_t sum_of(std::int64_t s) { return s / phases % sums_told; }
  std::int64_t chunks() const { return (n_ - 2 * reach + chunk - 1) / chunk; }

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
  void add_squares(double* squares, range r) const {
    const double* const u = u_[0].data() + reach;
    for (std::int64_t i = r.first - reach, last = r.last - reach; i < last;) {
      double* const sums = squares + i / chunk * lanes;
      const std::int64_t end = std::min(last, (i / chunk + 1) * chunk);
      for (; i < end && i % lanes != 0; ++i) sums[i % lanes] += u[i] * u[i];
      for (; i + lanes <= end; i += lanes)
        for (std::int64_t k = 0; k < lanes; ++k) sums[k] += u[i + k] * u[i + k];
      for (; i < end; ++i) sums[i % lanes] += u[i] * u[i];
    }
  }

  std::int64_t n_;
  std::array<field<double>, 2> u_;
  field<double> squares_;
};

}  // namespace gallery
