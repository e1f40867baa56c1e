// SPDX-License-Identifier: Apache-2.0
// Generated sparse matrices have the shapes they are named after, and are multiplied rightly in both
// variants.
#include "gallery/sparse_matrix.hpp"
#include "tests/gallery/support.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gallery {
namespace {

constexpr std::size_t nonzeros = 100'000;

std::size_t length(const sparse_matrix& m, std::size_t row) { return m.starts[row + 1] - m.starts[row]; }

// What every matrix in compressed rows has to be.
void expect_sound(const sparse_matrix& m) {
  ASSERT_EQ(m.starts.size(), m.rows + 1);
  EXPECT_EQ(m.starts.front(), 0U);
  EXPECT_EQ(m.starts.back(), m.indices.size());
  EXPECT_EQ(m.values.size(), m.indices.size());
  for (std::size_t i = 0; i < m.rows; ++i) {
    ASSERT_LE(m.starts[i], m.starts[i + 1]);
    for (std::size_t k = m.starts[i]; k < m.starts[i + 1]; ++k) {
      EXPECT_LT(m.indices[k], m.columns);
      if (k > m.starts[i]) {
        EXPECT_LT(m.indices[k - 1], m.indices[k]);
      }
    }
  }
}

// Catches: rows that are too long, all alike or empty, and a number of cells far from what was asked for.
TEST(SparseMatrix, RandomHasRowsOfUpToAHundred) {
  const sparse_matrix m = random_sparse_matrix(nonzeros, 1);
  expect_sound(m);
  EXPECT_EQ(m.rows, m.columns);
  EXPECT_NEAR(static_cast<double>(m.values.size()), nonzeros, 0.05 * nonzeros);
  std::size_t shortest = m.columns;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < m.rows; ++i) {
    shortest = std::min(shortest, length(m, i));
    longest = std::max(longest, length(m, i));
  }
  EXPECT_EQ(shortest, 1U);
  EXPECT_EQ(longest, 100U);
}

// Catches: a first row of another share, and rows that do not get shorter as they should.
TEST(SparseMatrix, PowerLawHasAFirstRowOfFourPercent) {
  const sparse_matrix m = power_law_matrix(nonzeros, 1);
  expect_sound(m);
  EXPECT_EQ(m.rows, m.columns);
  EXPECT_EQ(m.values.size(), nonzeros);
  for (const std::size_t i : {0U, 1U, 2U, 99U}) EXPECT_EQ(length(m, i), nonzeros / 25 / (i + 1)) << i;
  EXPECT_EQ(length(m, m.rows - 1), 1U);
}

TEST(SparseMatrix, ArrowheadHasAnEdgeADiagonalAndNothingElse) {
  const sparse_matrix m = arrowhead_matrix(nonzeros, 1);
  expect_sound(m);
  EXPECT_EQ(m.rows, m.columns);
  EXPECT_EQ(m.values.size(), 3 * m.rows - 2);
  EXPECT_EQ(length(m, 0), m.columns);
  for (std::size_t i = 1; i < m.rows; ++i) {
    ASSERT_EQ(length(m, i), 2U);
    EXPECT_EQ(m.indices[m.starts[i]], 0U);
    EXPECT_EQ(m.indices[m.starts[i] + 1], i);
  }
}

// Catches: a seed that is not used, and one that decides more than the cells.
TEST(SparseMatrix, IsTheSameForTheSameSeedOnly) {
  for (const auto generate : {random_sparse_matrix, power_law_matrix, arrowhead_matrix}) {
    EXPECT_EQ(generate(1000, 7), generate(1000, 7));
    EXPECT_NE(generate(1000, 7), generate(1000, 8));
  }
}

// Catches: a matrix smaller than its longest row, and variants that differ where rows are short, long or
// alike.
TEST(SparseMatrix, OfEveryKindAndSizeIsMultiplied) {
  const std::unique_ptr<kernel> k = find("spmv");
  for (const int kind : {0, 1, 2}) {
    for (const int size : {1, 2, 3, 10, 101, 3000}) {
      set(*k, "matrix", kind);
      set(*k, "nonzeros", size);
      for (const int variant : {0, 1}) {
        set(*k, "variant", variant);
        prepare(*k);
        const std::any result = k->run(policy::parallel);
        EXPECT_EQ(k->complaint(result), "") << kind << ' ' << size << ' ' << variant;
        EXPECT_TRUE(k->same(result, k->run(policy::serial))) << kind << ' ' << size << ' ' << variant;
      }
    }
  }
}

}  // namespace
}  // namespace gallery
