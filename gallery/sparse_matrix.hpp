// SPDX-License-Identifier: Apache-2.0
// Matrices of which most cells are zero, in compressed rows (CSR), and MatrixMarket files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace gallery {

struct sparse_matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::size_t> starts;     // where each row starts in the two below, and where the last one ends
  std::vector<std::uint32_t> indices;  // the columns of the cells that are not zero, ascending in each row
  std::vector<double> values;

  bool operator==(const sparse_matrix&) const = default;
};

// Neither side of a sparse matrix is longer; a file or a parameter that asks for more is an error.
inline constexpr std::size_t most_sparse_rows = std::size_t{1} << 26;

// The matrices that the evaluation of TPAL multiplies (Rainey et al., 2021, §4.1), square, with about so many
// cells that are not zero. Those hold whole numbers from 1 to 9, the same for the same seed.

// Rows of 1 to 100 cells.
sparse_matrix random_sparse_matrix(std::size_t nonzeros, std::uint64_t seed);
// The first row has 4% of the cells, the second half as many, the third a third, and so on down to one.
sparse_matrix power_law_matrix(std::size_t nonzeros, std::uint64_t seed);
// The first row, the first column and the diagonal.
sparse_matrix arrowhead_matrix(std::size_t nonzeros, std::uint64_t seed);

// Reads a MatrixMarket file (Boisvert, Pozo and Remington, NISTIR 5935, 1996): coordinates; real, integer or
// pattern, whose cells are 1; general or symmetric. Throws input_error for anything else, naming the line.
sparse_matrix read_matrix_market(const std::filesystem::path& path);

}  // namespace gallery
