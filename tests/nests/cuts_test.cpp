// SPDX-License-Identifier: Apache-2.0
// The arithmetic that cuts spaces, on its own.
#include <sennit/detail/loop/nest_cuts.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace {

using namespace sennit::detail;
using sennit::tile;
using sennit::triangle;

using cell = std::pair<std::ptrdiff_t, std::ptrdiff_t>;

tile<2> box(std::ptrdiff_t i, std::ptrdiff_t i_end, std::ptrdiff_t j, std::ptrdiff_t j_end) {
  return tile<2>().with(0, i, i_end).with(1, j, j_end);
}

void append(std::vector<cell>& to, const tile<2>& t) {
  for (std::ptrdiff_t i = t.begin(0); i < t.end(0); ++i) {
    for (std::ptrdiff_t j = t.begin(1); j < t.end(1); ++j) to.emplace_back(i, j);
  }
}

template <class Leaf>
void halves(const tile<2>& t, const sizes<2>& base, Leaf&& leaf) {
  const std::size_t d = longest(t, base);
  if (d == 2) return leaf(t);
  const auto [lower, upper] = halve(t, d);
  // Catches: a cut that leaves more than one more in one half, or loses an index.
  EXPECT_LE(upper.size(d) - lower.size(d), 1);
  EXPECT_GE(upper.size(d), lower.size(d));
  EXPECT_EQ(lower.end(d), upper.begin(d));
  halves(lower, base, leaf);
  halves(upper, base, leaf);
}

std::uint64_t morton_code(const cell& c) {
  std::uint64_t code = 0;
  for (unsigned bit = 0; bit < 16; ++bit) {
    code |= static_cast<std::uint64_t>(c.first >> bit & 1) << (2 * bit + 1);
    code |= static_cast<std::uint64_t>(c.second >> bit & 1) << (2 * bit);
  }
  return code;
}

// Catches: halves in another order (rows first, or the upper half first), which have no locality.
TEST(Cuts, HalvesOfASquareAreInMortonsOrder) {
  std::vector<std::uint64_t> codes;
  halves(box(0, 32, 0, 32), {1, 1},
         [&](const tile<2>& t) { codes.push_back(morton_code({t.begin(0), t.begin(1)})); });
  ASSERT_EQ(codes.size(), 1024U);
  for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(codes[i], i);
}

// Catches: cells lost or doubled where sides are odd, thin or of different length.
TEST(Cuts, HalvesCoverEveryCellOnce) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 100}, {100, 1}, {7, 31}, {37, 41}, {2, 1000}}) {
    for (const std::ptrdiff_t base : {1, 4, 5, 64}) {
      std::vector<cell> seen;
      halves(box(-3, rows - 3, 5, columns + 5), {base, base}, [&](const tile<2>& t) {
        EXPECT_LE(t.size(0), base);
        EXPECT_LE(t.size(1), base);
        append(seen, t);
      });
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(rows * columns));
      EXPECT_EQ(std::set<cell>(seen.begin(), seen.end()).size(), seen.size());
    }
  }
}

// Catches: a dimension that is to be left whole being cut because it is the longest.
TEST(Cuts, ADimensionWithinItsBaseIsNotCut) {
  EXPECT_EQ(longest(box(0, 10, 0, 1000), {4, 1000}), 0U);
  EXPECT_EQ(longest(box(0, 4, 0, 1000), {4, 1000}), 2U);
}

// Catches: a run that begins or ends in the wrong place, for any two positions in a box.
TEST(Cuts, RunsAreThePositionsInRowOrder) {
  tile<3> t;
  t.set(0, -1, 2);
  t.set(1, 4, 6);
  t.set(2, 0, 5);
  std::vector<tile<3>> all;
  for (std::ptrdiff_t i = -1; i < 2; ++i) {
    for (std::ptrdiff_t j = 4; j < 6; ++j) {
      for (std::ptrdiff_t k = 0; k < 5; ++k)
        all.push_back(tile<3>().with(0, i, i + 1).with(1, j, j + 1).with(2, k, k + 1));
    }
  }
  ASSERT_EQ(cells(t), all.size());
  for (std::uint64_t from = 0; from < all.size(); ++from) {
    for (std::uint64_t to = from + 1; to <= all.size(); ++to) {
      std::uint64_t at = from;
      std::size_t runs = 0;
      for_each_run(t, 0, 3, from, to, [&](const tile<3>& run) {
        ++runs;
        for (std::ptrdiff_t k = run.begin(2); k < run.end(2); ++k)
          EXPECT_EQ(run.with(2, k, k + 1), all[at++]);
        return static_cast<std::uint64_t>(run.size(2));
      });
      EXPECT_EQ(at, to);
      EXPECT_EQ(runs, (to - 1) / 5 - from / 5 + 1);
    }
  }
}

// Catches: dimensions outside the group being cut along with it.
TEST(Cuts, RunsLeaveOtherDimensionsWhole) {
  tile<3> t;
  t.set(0, 7, 8);
  t.set(1, 0, 4);
  t.set(2, 2, 9);
  EXPECT_EQ(cells(t, 1, 2), 4U);
  std::vector<tile<3>> runs;
  for_each_run(t, 1, 2, 1, 3, [&](const tile<3>& run) {
    runs.push_back(run);
    return static_cast<std::uint64_t>(run.size(1));
  });
  EXPECT_THAT(runs, testing::ElementsAre(t.with(1, 1, 3)));
}

// Catches: a grid one too small or too large, tiles that overlap or reach beyond the box.
TEST(Cuts, TilesCoverEveryCellOnce) {
  for (const auto& size :
       {sizes<2>{1, 1}, {3, 5}, {10, 7}, {64, 2}, {std::numeric_limits<std::ptrdiff_t>::max(), 4}}) {
    const tile<2> t = box(-5, 5, 3, 24);
    std::vector<cell> seen;
    std::vector<cell> at;
    append(at, grid(t, size));
    for (const auto& [i, j] : at) append(seen, tile_at(t, size, {i, j}));
    EXPECT_EQ(seen.size(), cells(t));
    EXPECT_EQ(std::set<cell>(seen.begin(), seen.end()).size(), seen.size());
  }
}

// Catches: a count that wraps around, so that an absurd space looks like a small one.
TEST(Cuts, CountsSaturate) {
  tile<4> t;
  for (std::size_t d = 0; d < 4; ++d) t.set(d, 0, std::ptrdiff_t{1} << 16);
  EXPECT_EQ(cells(t), too_many_cells);
  EXPECT_EQ(cells(t, 0, 3), std::uint64_t{1} << 48);
  EXPECT_EQ(cells(sennit::upper_triangle(std::ptrdiff_t{1} << 40)), too_many_cells);
  constexpr auto least = std::numeric_limits<std::ptrdiff_t>::min();
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max();
  EXPECT_EQ(cells(box(0, 1, least, most)), too_many_cells);
}

class Triangles : public testing::TestWithParam<bool> {
 protected:
  triangle of(std::ptrdiff_t n) const {
    return GetParam() ? sennit::upper_triangle(n) : sennit::lower_triangle(n);
  }
  static std::vector<cell> in_rows(const triangle& t) {
    std::vector<cell> all;
    for (std::ptrdiff_t i = 0; i < t.size(); ++i) {
      for (std::ptrdiff_t j = 0; j < t.size(); ++j) {
        if (t.contains(i, j)) all.emplace_back(i, j);
      }
    }
    return all;
  }
};

// Catches: a row or a column missed by one at either end of a run.
TEST_P(Triangles, RunsAreThePositionsInRowOrder) {
  for (const std::ptrdiff_t n : {2, 3, 9}) {
    const triangle t = of(n);
    const std::vector<cell> all = in_rows(t);
    ASSERT_EQ(cells(t), all.size());
    for (std::uint64_t from = 0; from < all.size(); ++from) {
      for (std::uint64_t to = from + 1; to <= all.size(); ++to) {
        std::vector<cell> seen;
        for_each_run(t, from, to, [&](const tile<2>& run) {
          EXPECT_EQ(run.size(0), 1);
          EXPECT_FALSE(run.empty());
          append(seen, run);
          return static_cast<std::uint64_t>(run.size(1));
        });
        EXPECT_TRUE(seen == std::vector<cell>(all.begin() + static_cast<std::ptrdiff_t>(from),
                                              all.begin() + static_cast<std::ptrdiff_t>(to)));
      }
    }
  }
}

// Catches: a tile taken for empty or for full that is neither, and a row clipped at the wrong column.
TEST_P(Triangles, KnowTheTilesThatTheDiagonalCuts) {
  const triangle t = of(9);
  for (std::ptrdiff_t i = 0; i < 9; ++i) {
    for (std::ptrdiff_t i_end = i + 1; i_end <= 9; ++i_end) {
      for (std::ptrdiff_t j = 0; j < 9; ++j) {
        for (std::ptrdiff_t j_end = j + 1; j_end <= 9; ++j_end) {
          const tile<2> part = box(i, i_end, j, j_end);
          std::vector<cell> clipped;
          for (std::ptrdiff_t r = i; r < i_end; ++r) append(clipped, row_within(t, part, r));
          std::vector<cell> expected;
          append(expected, part);
          std::erase_if(expected, [&](const cell& c) { return !t.contains(c.first, c.second); });
          EXPECT_TRUE(clipped == expected);
          EXPECT_EQ(outside(t, part), expected.empty());
          EXPECT_EQ(inside(t, part), expected.size() == cells(part));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BothSides, Triangles, testing::Bool(),
                         [](const auto& info) { return info.param ? "upper" : "lower"; });

// Catches: the root's rounding, which is off by one beyond 2^53 or so.
TEST(Cuts, TheRowOfACellIsExactForHugeTriangles) {
  for (std::uint64_t row = 1; row < (std::uint64_t{1} << 31); row += row / 3 + 1) {
    const std::uint64_t first = row * (row - 1) / 2;
    EXPECT_EQ(row_of(first), row);
    EXPECT_EQ(row_of(first + row - 1), row);
    EXPECT_EQ(row_of(first + row), row + 1);
  }
}

}  // namespace
