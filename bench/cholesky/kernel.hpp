// SPDX-License-Identifier: Apache-2.0
// The Cholesky factor of a matrix of --size rows, in tiles of --work rows, by OpenBLAS: one thread for each operation on a tile, and
// the graph of them by a system. A way has
//   factor(matrix)   all steps of all tiles, each after those that it needs
#pragma once

#include "common/loops.hpp"
#include "gallery/cholesky.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

extern "C" void dpotrf_(const char* triangle, const int* n, double* a, const int* side, int* info);

namespace cholesky {

inline int as_int(std::size_t n) { return static_cast<int>(n); }

// By rows: LAPACK, which goes by columns, takes a lower triangle for an upper one. The matrices here have a factor, so there is
// nothing to be told.
inline void factorize(std::size_t n, double* a, std::size_t side) {
  const int rows = as_int(n);
  const int stride = as_int(side);
  int info = 0;
  dpotrf_("U", &rows, a, &stride, &info);
}

struct blas_tiles {
  static void factorize(std::size_t n, double* a, std::size_t side) { cholesky::factorize(n, a, side); }
  static void solve(std::size_t rows, std::size_t n, const double* factor, double* a, std::size_t side) {
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, as_int(rows), as_int(n), 1,
                factor, as_int(side), a, as_int(side));
  }
  static void update(std::size_t n, std::size_t depth, const double* left, double* a, std::size_t side) {
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, as_int(n), as_int(depth), -1, left, as_int(side), 1,
                a, as_int(side));
  }
  static void update(std::size_t rows, std::size_t columns, std::size_t depth, const double* left,
                     const double* right, double* a, std::size_t side) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, as_int(rows), as_int(columns), as_int(depth), -1,
                left, as_int(side), right, as_int(side), 1, a, as_int(side));
  }
};

using matrix = gallery::tiled_cholesky<blas_tiles>;

inline double given(std::size_t n, std::size_t i, std::size_t j) {
  const double off = 1.0 / static_cast<double>(1 + (i > j ? i - j : j - i));
  return i == j ? static_cast<double>(n) : off;
}

// Whether the factor times itself, turned, is the matrix, as far as a vector tells.
template <class At>
bool is_factor(std::size_t n, const At& at) {
  std::vector<double> turned(n), product(n), expected(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) turned[j] += at(i, j) * (1 + static_cast<double>(i % 7));
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) product[i] += at(i, j) * turned[j];
    for (std::size_t j = 0; j < n; ++j) expected[i] += given(n, i, j) * (1 + static_cast<double>(j % 7));
    worst = std::max(worst, std::abs(product[i] - expected[i]) / expected[i]);
  }
  return worst < 1e-10;
}

template <class Way>
class kernel {
 public:
  kernel(const bench::program& program, Way& way) : way_(way), tile_(program.work()) {
    openblas_set_num_threads(1);
  }

  void prepare(std::uint64_t n) {
    n_ = n;
    matrix_.emplace(n, tile_);
    for (std::size_t row = 0; row < matrix_->tiles(); ++row)
      for (std::size_t column = 0; column <= row; ++column)
        matrix_->fill(row, column, [n](std::size_t i, std::size_t j) { return given(n, i, j); });
  }
  void run() { way_.factor(*matrix_); }
  // The size, if it is right.
  std::uint64_t check() const {
    return is_factor(n_, [this](std::size_t i, std::size_t j) { return matrix_->at(i, j); }) ? n_ : 0;
  }

 private:
  Way& way_;
  std::size_t tile_;
  std::uint64_t n_ = 0;
  std::optional<matrix> matrix_;
};

template <class Way>
int run_with(bench::program& program, Way way) {
  return program.run(kernel<Way>(program, way));
}

}  // namespace cholesky
