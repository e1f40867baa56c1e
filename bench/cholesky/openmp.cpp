// SPDX-License-Identifier: Apache-2.0
#include "common/openmp.hpp"

#include "cholesky/kernel.hpp"

// A task for each step of each tile, by what it reads and writes.
class depend {
 public:
  explicit depend(bench::program& program) : program_(program) { program.describe(bench::openmp_version()); }

  void factor(cholesky::matrix& matrix) const {
    bench::openmp_team(program_, [&] {
      const std::size_t tiles = matrix.tiles();
      for (std::size_t k = 0; k < tiles; ++k) {
        for (std::size_t column = k; column < tiles; ++column) {
          for (std::size_t row = column; row < tiles; ++row) task(matrix, k, row, column);
        }
      }
      return 0;
    });
  }

 private:
  static void task(cholesky::matrix& matrix, std::size_t k, std::size_t row, std::size_t column) {
    [[maybe_unused]] double* const a = matrix.tile(row, column);
    if (row == k) {
#pragma omp task default(none) firstprivate(k, row, column) shared(matrix) depend(inout : a[0])
      matrix.compute(k, row, column);
    } else if (column == k) {
      [[maybe_unused]] const double* const factor = matrix.tile(k, k);
#pragma omp task default(none) firstprivate(k, row, column) shared(matrix) depend(in : factor[0])            \
    depend(inout : a[0])
      matrix.compute(k, row, column);
    } else {
      [[maybe_unused]] const double* const left = matrix.tile(row, k);
      [[maybe_unused]] const double* const right = matrix.tile(column, k);
#pragma omp task default(none) firstprivate(k, row, column) shared(matrix) depend(in : left[0], right[0])    \
    depend(inout : a[0])
      matrix.compute(k, row, column);
    }
  }

  const bench::program& program_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return cholesky::run_with(program, depend(program));
}
