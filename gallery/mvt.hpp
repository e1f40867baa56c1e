// SPDX-License-Identifier: Apache-2.0
// mvt and bicg, of PolyBench: two products of one matrix with vectors, one of them with the matrix transposed. The matrix is read
// twice, which is nearly all there is to it. Both go along the rows. What the transposed product adds up is kept apart for
// each of a few bands of rows until the end, so that bands are independent.
#pragma once

#include "gallery/input_error.hpp"
#include "gallery/sweeps.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace gallery {

class two_products {
 public:
  static constexpr int phases = 2;
  static constexpr std::int64_t bands = 8;

  // Throws input_error unless n is a multiple of the bands.
  explicit two_products(std::int64_t n)
      : n_(n), matrix_(n * n, 0), along_(n, 1), across_(n, 2), result_(2 * n, 3), sums_(bands * n, 4) {
    if (n % bands != 0) throw input_error("the size of the matrix must be a multiple of 8");
  }

  void initialize() {
    for (std::int64_t i = 0; i < n_; ++i) {
      along_.data()[i] = static_cast<double>((i + 3) % 1021) / 1021;
      across_.data()[i] = static_cast<double>((i + 4) % 1021) / 1021;
      result_.data()[i] = static_cast<double>(i % 1021) / 1021;
      result_.data()[n_ + i] = static_cast<double>((i + 1) % 1021) / 1021;
      for (std::int64_t j = 0; j < n_; ++j)
        matrix_.data()[i * n_ + j] = static_cast<double>(i * (j + 1) % 1021) / 1021;
    }
    std::fill_n(sums_.data(), sums_.size(), 0.0);
  }

  part whole() const { return {{0, n_}, {0, n_}}; }
  static constexpr lead ahead(std::int64_t) { return {}; }
  std::int64_t row_unit() const { return n_ / bands; }

  // The product with the matrix and with the transposed one, so many rows at a time. The sums are the same, in the same order.
  template <int rows>
  void multiply(const part& part) {
    in_groups<rows>(part.rows, [&]<int group>(std::int64_t i) {
      const double* const a = matrix_.data() + i * n_;
      double sum[group];
      for (int r = 0; r < group; ++r) sum[r] = result_.data()[i + r];
      for (std::int64_t j = part.columns.first; j < part.columns.last; ++j) {
        const double x = along_.data()[j];
        for (int r = 0; r < group; ++r) sum[r] += a[r * n_ + j] * x;
      }
      for (int r = 0; r < group; ++r) result_.data()[i + r] = sum[r];
    });
  }
  template <int rows>
  void multiply_transposed(const part& part) {
    in_groups<rows>(part.rows, [&]<int group>(std::int64_t i) {
      const double* const a = matrix_.data() + i * n_;
      double* const sums = sums_.data() + i / row_unit() * n_;
      double x[group];
      for (int r = 0; r < group; ++r) x[r] = across_.data()[i + r];
      for (std::int64_t j = part.columns.first; j < part.columns.last; ++j) {
        double sum = sums[j];
        for (int r = 0; r < group; ++r) sum += a[r * n_ + j] * x[r];
        sums[j] = sum;
      }
    });
  }
  sennit::effects effects_of_multiply(range rows) const {
    return {sennit::reads(matrix_.at({rows.first * n_, rows.last * n_})), sennit::writes(result_.at(rows))};
  }
  // Of the sums of all bands that have some of these rows.
  sennit::effects effects_of_multiply_transposed(range rows) const {
    const range some{rows.first / row_unit() * n_, ((rows.last - 1) / row_unit() + 1) * n_};
    return {sennit::reads(matrix_.at({rows.first * n_, rows.last * n_})), sennit::writes(sums_.at(some))};
  }
  void finish() {
    double* const result = result_.data() + n_;
    for (std::int64_t band = 0; band < bands; ++band)
      for (std::int64_t j = 0; j < n_; ++j) result[j] += sums_.data()[band * n_ + j];
  }
  // Of the plain product, then of the transposed one.
  std::span<const double> result(std::int64_t) const { return result_.span(); }

 private:
  // body<group>(row) for groups of so many rows of one band, and for those that are left in the end.
  template <int rows, class Body>
  void in_groups(range all, const Body& body) const {
    std::int64_t i = all.first;
    while (i < all.last) {
      const std::int64_t end = std::min(all.last, (i / row_unit() + 1) * row_unit());
      for (; i + rows <= end; i += rows) body.template operator()<rows>(i);
      if constexpr (rows == 4) {
        if (end - i == 3) body.template operator()<3>(i);
        if (end - i == 2) body.template operator()<2>(i);
        if (end - i == 1) body.template operator()<1>(i);
        i = end;
      }
    }
  }

  std::int64_t n_;
  field<double> matrix_;
  field<double> along_;
  field<double> across_;
  field<double> result_;
  field<double> sums_;
};

// One after the other, the transposed one first or last.
template <bool transposed_first>
class products_in_turn : public two_products {
 public:
  using two_products::two_products;

  SENNIT_GALLERY_SWEEP void sweep(std::int64_t s, const part& part) { in_rows<4>(s, part); }
  // As the plain loops do it.
  SENNIT_GALLERY_SWEEP void plain_sweep(std::int64_t s, const part& part) { in_rows<1>(s, part); }
  sennit::effects effects_of(std::int64_t s, range rows) const {
    return is_transposed(s) ? effects_of_multiply_transposed(rows) : effects_of_multiply(rows);
  }

 private:
  static constexpr bool is_transposed(std::int64_t s) { return (s % 2 == 0) == transposed_first; }

  template <int rows>
  SENNIT_GALLERY_SWEEP void in_rows(std::int64_t s, const part& part) {
    if (is_transposed(s)) return multiply_transposed<rows>(part);
    multiply<rows>(part);
  }
};
using mvt = products_in_turn<false>;
using bicg = products_in_turn<true>;

}  // namespace gallery
