// SPDX-License-Identifier: Apache-2.0
#include "integrations/mpi/programs/cholesky.hpp"

namespace programs {

void cholesky::step(std::uint32_t k, std::uint32_t row, std::uint32_t column, const double* of_row,
                    const double* of_column) {
  using kernels = gallery::plain_tiles;
  double* const a = at(row, column)->data();
  const std::size_t b = parts_.size;
  if (column > k && row > column)
    kernels::update(size(row), size(column), size(k), of_row, of_column, a, b);
  else if (column > k)
    kernels::update(size(row), size(k), of_row, a, b);
  else if (row > column)
    kernels::solve(size(row), size(k), of_column, a, b);
  else
    kernels::factorize(size(k), a, b);
}

}  // namespace programs
