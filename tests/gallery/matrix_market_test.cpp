// SPDX-License-Identifier: Apache-2.0
// MatrixMarket files give the matrix they describe, and those that describe none are named, with the line and
// the remedy.
#include "gallery/sparse_matrix.hpp"
#include "tests/gallery/support.hpp"

#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <vector>

namespace gallery {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class MatrixMarket : public testing::Test {
 protected:
  sparse_matrix read(std::string_view content) {
    return read_matrix_market(folder.with("matrix.mtx", content));
  }

  temporary_folder folder;
};

// Catches: rows and columns mixed up, counting from 0, entries taken for sorted, and rows without entries
// left out.
TEST_F(MatrixMarket, OfRealsInAnyOrder) {
  const sparse_matrix m = read("%%MatrixMarket matrix coordinate real general\n% a comment\n%\n\n"
                               "4 3 4\n3 3 -1.5e-3\n1 2 2\n\n  3\t1   +.5  \n1 1 7.");
  EXPECT_EQ(m.rows, 4U);
  EXPECT_EQ(m.columns, 3U);
  EXPECT_THAT(m.starts, ElementsAre(0, 2, 2, 4, 4));
  EXPECT_THAT(m.indices, ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(m.values, ElementsAre(7, 2, 0.5, -1.5e-3));
}

// Catches: a diagonal counted twice, and a mirror image in the wrong order.
TEST_F(MatrixMarket, OfASymmetricMatrixHasBothHalves) {
  const sparse_matrix m = read("%%matrixmarket MATRIX Coordinate Integer Symmetric\r\n3 3 4\r\n"
                               "1 1 5\r\n3 1 -2\r\n2 1 1\r\n3 3 4\r\n");
  EXPECT_THAT(m.starts, ElementsAre(0, 3, 4, 6));
  EXPECT_THAT(m.indices, ElementsAre(0, 1, 2, 0, 0, 2));
  EXPECT_THAT(m.values, ElementsAre(5, 1, -2, 1, -2, 4));
}

TEST_F(MatrixMarket, OfAPatternHasOnes) {
  const sparse_matrix m = read("%%MatrixMarket matrix coordinate pattern general\n1 2 2\n1 2\n1 1\n");
  EXPECT_THAT(m.indices, ElementsAre(0, 1));
  EXPECT_THAT(m.values, ElementsAre(1, 1));
}

TEST_F(MatrixMarket, WithoutEntriesIsAMatrixOfZeros) {
  const sparse_matrix m = read("%%MatrixMarket matrix coordinate real general\n2 9 0\n");
  EXPECT_THAT(m.starts, ElementsAre(0, 0, 0));
  EXPECT_EQ(m.columns, 9U);
}

// Catches: a bundled matrix that is not what its comment says.
TEST_F(MatrixMarket, LaplacianIsThatOfAGrid) {
  constexpr std::size_t side = 20;
  const sparse_matrix m = read_matrix_market(data_file("laplacian.mtx"));
  ASSERT_EQ(m.rows, side * side);
  ASSERT_EQ(m.columns, side * side);
  for (std::size_t i = 0; i < m.rows; ++i) {
    const std::size_t x = i % side;
    const std::size_t y = i / side;
    std::vector<std::pair<std::uint32_t, double>> right;
    const auto cell = [&](std::size_t column, double value) {
      right.emplace_back(static_cast<std::uint32_t>(column), value);
    };
    if (y > 0) cell(i - side, -1);
    if (x > 0) cell(i - 1, -1);
    cell(i, 4);
    if (x + 1 < side) cell(i + 1, -1);
    if (y + 1 < side) cell(i + side, -1);
    std::vector<std::pair<std::uint32_t, double>> found;
    for (std::size_t k = m.starts[i]; k < m.starts[i + 1]; ++k) found.emplace_back(m.indices[k], m.values[k]);
    EXPECT_EQ(found, right) << i;
  }
}

// The product with 1, 2, ..., 7, 1, ..., by hand. Catches: a file's matrix multiplied as if it were square.
TEST_F(MatrixMarket, IsMultiplied) {
  const auto file = folder.with("wide.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                            "3 9 5\n1 1 0.5\n1 9 0.25\n3 2 10\n3 8 1\n3 3 -1\n");
  for (const int variant : {0, 1}) {
    const std::unique_ptr<kernel> k = find("spmv");
    set(*k, "variant", variant);
    k->prepare(file);
    const std::any result = k->run(policy::parallel);
    EXPECT_EQ(k->complaint(result), "");
    EXPECT_THAT(std::any_cast<const std::vector<double>&>(result), ElementsAre(1, 0, 18));
  }
}

// Catches: sums of numbers that are not whole compared bit by bit, though their order may differ.
TEST_F(MatrixMarket, OfNumbersThatRoundIsTheElisions) {
  std::string content = "%%MatrixMarket matrix coordinate real general\n1 5000 5000\n";
  for (int i = 1; i <= 5000; ++i) content += "1 " + std::to_string(i) + " " + std::to_string(1.0 / i) + "\n";
  const std::unique_ptr<kernel> k = find("spmv");
  k->prepare(folder.with("row.mtx", content));
  const std::any parallel = k->run(policy::parallel);
  EXPECT_EQ(k->complaint(parallel), "");
  EXPECT_TRUE(k->same(parallel, k->run(policy::serial)));
}

struct fault {
  std::string content;
  std::string line;
  std::string what;
  std::string remedy;

  friend std::ostream& operator<<(std::ostream& out, const fault& f) { return out << f.content; }
};

const std::string real = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";
const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";

class BadMatrixMarket : public testing::TestWithParam<fault> {};

// Catches: a file that is taken for what it is not, and a message that leaves the user to search for the
// line.
TEST_P(BadMatrixMarket, IsNamedWithLineAndRemedy) {
  const temporary_folder folder;
  const auto file = folder.with("bad.mtx", GetParam().content);
  EXPECT_THAT(input_error_of([&] { read_matrix_market(file); }),
              AllOf(HasSubstr("bad.mtx', line " + GetParam().line + ": "), HasSubstr(GetParam().what),
                    HasSubstr(GetParam().remedy)));
}

INSTANTIATE_TEST_SUITE_P(
    Gallery, BadMatrixMarket,
    testing::Values(
        fault{"1 1 1\n1 1 1\n", "1", "not a MatrixMarket file", "convert"},
        fault{"\n" + real, "1", "not a MatrixMarket file", "convert"},
        fault{"%%MatrixMarket matrix coordinate real\n", "1", "five words", "write '%%MatrixMarket matrix"},
        fault{"%%MatrixMarket vector coordinate real general\n", "1", "'vector'", "'matrix'"},
        fault{"%%MatrixMarket matrix array real general\n", "1", "'array'", "'coordinate'"},
        fault{"%%MatrixMarket matrix coordinate complex general\n", "1", "'complex'",
              "'real' or 'integer' or 'pattern'"},
        fault{"%%MatrixMarket matrix coordinate real skew-symmetric\n", "1", "'skew-symmetric'",
              "'symmetric'"},
        fault{real, "1", "ends before", "copy it again"},
        fault{real + "% size follows\n", "2", "ends before", "copy it again"},
        fault{real + "3 3\n", "2", "2 words", "rows, columns and entries"},
        fault{real + "3 3 -1\n", "2", "'-1' is no number of entries", "rows, columns and entries"},
        fault{real + "3 3.0 1\n", "2", "'3.0' is no number of columns", "rows, columns and entries"},
        fault{real + "99999999999999999999 3 1\n", "2", "number of rows '99999999999999999999'", "give"},
        fault{real + "0 3 0\n", "2", "no cells", "at least"},
        fault{real + "999999999 3 0\n", "2", "999999999 x 3", "at most"},
        fault{symmetric + "3 4 0\n", "2", "3 x 4", "general in line 1"},
        fault{real + "3 3 1\n1 1 1\n\n2 2 2\n", "5", "more entries than the 1 of line 2", "correct"},
        fault{real + "3 3 3\n1 1 1\n2 2 2", "4", "ends after 2 entries, and line 2 says 3", "copy it again"},
        fault{real + "3 3 1000000000000000\n1 1 1\n", "3", "ends after 1 entries", "copy it again"},
        fault{real + "3 3 1\n1 1\n", "3", "2 words where an entry has 3", "row, column and value"},
        fault{real + "3 3 1\n1 1 1 1\n", "3", "4 words where an entry has 3", "row, column and value"},
        fault{pattern + "3 3 1\n1 1 1\n", "3", "3 words where an entry has 2", "row and column"},
        fault{real + "3 3 1\n% late\n", "3", "2 words", "row, column and value"},
        fault{real + "3 3 1\n4 1 1\n", "3", "no row 4", "from 1 to 3, as line 2 says"},
        fault{real + "3 3 1\n1 0 1\n", "3", "no column 0", "from 1 to 3, as line 2 says"},
        fault{real + "3 3 1\n-1 1 1\n", "3", "'-1'", "from 1 to 3"},
        fault{real + "3 3 1\n1x 1 1\n", "3", "'1x'", "from 1 to 3"},
        fault{real + "3 3 1\n1 1 1.0D+5\n", "3", "'1.0D+5' is no number", "-1.5e10"},
        fault{real + "3 3 1\n1 1 nan\n", "3", "'nan'", "-1.5e10"},
        fault{real + "3 3 1\n1 1 -inf\n", "3", "'-inf'", "-1.5e10"},
        fault{real + "3 3 1\n1 1 1e999\n", "3", "'1e999' is too large", "-1.5e10"},
        fault{real + "3 3 1\n1 1 +-1\n", "3", "'+-1'", "-1.5e10"},
        fault{integer + "3 3 1\n1 1 1.5\n", "3", "'1.5' is no integer", "whole number"},
        fault{symmetric + "3 3 1\n1 2 1\n", "3", "row 1, column 2 is above the diagonal",
              "general in line 1"},
        fault{real + "3 3 3\n1 2 1\n2 2 2\n1 2 3\n", "5", "row 1, column 2 has been given in line 3",
              "keep one"}));

// Catches: a crash, or memory taken for what is only announced, wherever a file ends.
TEST_F(MatrixMarket, CutAnywhereIsAnErrorOrAMatrix) {
  const std::string whole = integer + "3 3 3\n1 1 11\n2 3 23\n3 2 32\n";
  for (std::size_t length = 1; length + 4 < whole.size(); ++length) {
    EXPECT_THAT(input_error_of([&] { read(whole.substr(0, length)); }), HasSubstr("matrix.mtx', line "))
        << length;
  }
}

TEST_F(MatrixMarket, DamagedAnywhereNeverCrashes) {
  const std::string whole = real + "3 3 3\n1 1 1.1\n2 3 2.3\n3 2 3.2\n";
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char c : {'\0', '9', '-', ' ', '\n', '\xff'}) {
      std::string damaged = whole;
      damaged[i] = c;
      const std::string complaint = input_error_of([&] { read(damaged); });
      EXPECT_TRUE(complaint.empty() || complaint.find("', line ") != std::string::npos) << complaint;
    }
  }
}

}  // namespace
}  // namespace gallery
