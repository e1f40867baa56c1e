// SPDX-License-Identifier: Apache-2.0
#include "cholesky/kernel.hpp"

struct in_order {
  void factor(cholesky::matrix& matrix) const {
    for (std::size_t k = 0; k < matrix.tiles(); ++k)
      for (std::size_t column = k; column < matrix.tiles(); ++column)
        for (std::size_t row = column; row < matrix.tiles(); ++row) matrix.compute(k, row, column);
  }
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return cholesky::run_with(program, in_order());
}
