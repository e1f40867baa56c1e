// SPDX-License-Identifier: Apache-2.0
// Sparse matrices in compressed rows, of Rainey et al., 2021, §4.1: random, power-law and arrowhead.
// matrix.rs makes the same ones.
#pragma once

#include "common/loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace spmv {

struct matrix {
  std::vector<std::uint64_t> start;   // of each row among the entries, and one more
  std::vector<std::uint32_t> column;  // of each entry, ascending in each row
  std::vector<double> value;

  std::size_t rows() const { return start.size() - 1; }
};

// Columns spread over [0, n): one in each of `length` equal parts.
inline matrix of_lengths(const std::vector<std::uint64_t>& lengths, bench::random_numbers& random) {
  const std::uint64_t n = lengths.size();
  matrix m;
  m.start.resize(n + 1);
  std::inclusive_scan(lengths.begin(), lengths.end(), m.start.begin() + 1);
  m.column.resize(m.start[n]);
  m.value.resize(m.start[n]);
  for (std::uint64_t row = 0; row < n; ++row) {
    const std::uint64_t length = lengths[row];
    for (std::uint64_t k = 0; k < length; ++k) {
      const std::uint64_t from = k * n / length, to = (k + 1) * n / length;
      m.column[m.start[row] + k] = static_cast<std::uint32_t>(from + random.below(to - from));
      m.value[m.start[row] + k] = static_cast<double>(1 + (row + k) % 4);
    }
  }
  return m;
}

// Every row has 1 to 100 entries.
inline matrix random_matrix(std::uint64_t n) {
  bench::random_numbers random(1);
  std::vector<std::uint64_t> lengths(n);
  for (std::uint64_t& length : lengths) length = 1 + random.below(std::min<std::uint64_t>(100, n));
  return of_lengths(lengths, random);
}

// The r-th longest row has 0.8 n / r^s entries, with s such that the longest has 4% of all; it is the first,
// and the others lie in random order.
inline matrix powerlaw_matrix(std::uint64_t n) {
  // The sum of r^-s over all rows, by Euler and Maclaurin.
  const auto sum = [last = static_cast<double>(n)](double s) {
    return (std::pow(last, 1 - s) - 1) / (1 - s) + (1 + std::pow(last, -s)) / 2 + s / 12;
  };
  double low = 0.01, high = 0.99;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (sum(middle) > 25 ? low : high) = middle;
  }
  std::vector<std::uint64_t> lengths(n);
  for (std::uint64_t r = 0; r < n; ++r)
    lengths[r] = 1 + static_cast<std::uint64_t>(0.8 * static_cast<double>(n) /
                                                std::pow(static_cast<double>(r + 1), low));
  bench::random_numbers random(2);
  for (std::uint64_t r = n - 1; r > 1; --r) std::swap(lengths[r], lengths[1 + random.below(r)]);
  return of_lengths(lengths, random);
}

// The first row, the first column and the diagonal are full.
inline matrix arrowhead_matrix(std::uint64_t n) {
  matrix m;
  m.start.push_back(0);
  for (std::uint64_t row = 0; row < n; ++row) {
    const auto entry = [&](std::uint64_t column) {
      m.column.push_back(static_cast<std::uint32_t>(column));
      m.value.push_back(static_cast<double>(1 + (row + column) % 4));
    };
    if (row == 0) {
      for (std::uint64_t column = 0; column < n; ++column) entry(column);
    } else {
      entry(0);
      entry(row);
    }
    m.start.push_back(m.column.size());
  }
  return m;
}

inline matrix matrix_called(std::string_view name, std::uint64_t n) {
  if (name == "random") return random_matrix(n);
  if (name == "powerlaw") return powerlaw_matrix(n);
  if (name == "arrowhead") return arrowhead_matrix(n);
  bench::program::fail("--input", "must be random, powerlaw or arrowhead");
}

}  // namespace spmv
