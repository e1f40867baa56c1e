// SPDX-License-Identifier: Apache-2.0
#include "policy/splicing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace {

using sennit::policy::cache_sizes;
using sennit::policy::choose_tiles;
using sennit::policy::rectangle_sweeps;
using sennit::policy::shape_of_tile;
using sennit::policy::shift_fits;
using sennit::policy::shifted_step_bytes;
using sennit::policy::step_fits;
using sennit::policy::step_is_short;
using sennit::policy::tile_choice;
using sennit::policy::tile_shape;
using sennit::policy::tile_window;
using sennit::policy::trees_that_fit;

constexpr std::uint64_t mib = 1 << 20;

// Would catch: a window that is the whole shared cache, or that other workers do not make smaller.
TEST(Splicing, StepsOfAllCallsFitAPartOfTheSharedCache) {
  constexpr cache_sizes caches{48 << 10, mib, 64 * mib};
  EXPECT_TRUE(step_fits(mib / 4, 32, 1, caches));  // 8 MiB of 64 / (4 * 2)
  EXPECT_FALSE(step_fits(mib / 4 + 1, 32, 1, caches));
  EXPECT_FALSE(step_fits(mib / 4, 33, 1, caches));
  EXPECT_FALSE(step_fits(mib / 4, 32, 2, caches));
}

// Would catch: steps so large that coefficients, which effects leave out, do not fit the cache beside them; steps
// that take no longer than what is between them.
TEST(Splicing, ShiftedStepsFitTheFirstLevelUnlessItIsSmall) {
  EXPECT_THAT(shifted_step_bytes({48 << 10, mib, 64 * mib}),
              testing::ElementsAre(36 << 10, mib / 16, mib / 2));
  EXPECT_THAT(shifted_step_bytes({32 << 10, mib, 64 * mib}),
              testing::ElementsAre(mib / 16, mib / 16, mib / 2));
}

// Would catch: a shift over more data than the core's own cache can hold in part, such as planes of a large cube.
TEST(Splicing, AShiftFitsTwiceTheCoresOwnCache) {
  constexpr cache_sizes caches{48 << 10, mib, 64 * mib};
  EXPECT_TRUE(shift_fits(2 * mib, caches));
  EXPECT_FALSE(shift_fits(2 * mib + 1, caches));
}

// Would catch: one call whose step fills the cache of the core, as nothing is interleaved with it.
TEST(Splicing, AStepFitsHalfOfTheCoresOwnCache) {
  constexpr cache_sizes caches{48 << 10, mib, 64 * mib};
  EXPECT_TRUE(step_fits(mib / 2, 1, 1, caches));
  EXPECT_FALSE(step_fits(mib / 2 + 1, 1, 1, caches));
}

// Would catch: a shared cache that is divided among so many workers that each is left less than its own.
TEST(Splicing, TheCoresOwnCacheIsThereInAnyCase) {
  constexpr cache_sizes caches{48 << 10, mib, 2 * mib};
  EXPECT_TRUE(step_fits(mib / 4, 4, 100, caches));
  EXPECT_FALSE(step_fits(mib / 4, 5, 100, caches));
}

// Would catch: steps that are taken for long enough where what is between them takes a tenth of the time.
TEST(Splicing, StepsAreShortUpToThirtyTimesTheOverhead) {
  EXPECT_TRUE(step_is_short(299, 10));
  EXPECT_FALSE(step_is_short(300, 10));
}

// A cube of 400 x 400 x 400 numbers in two arrays, of which planes and rows are divided.
constexpr rectangle_sweeps cube{
    .rows = 398, .columns = 398, .bytes = 6400, .down = 1, .across = 1, .most = 8, .all = false};

double window_of(const rectangle_sweeps& s, const tile_choice& c) {
  const tile_shape tile = shape_of_tile(c.cells, s.columns);
  const double more = c.together - 1;
  return (static_cast<double>(tile.rows) + more * s.down) *
         (static_cast<double>(tile.columns) + more * s.across) * s.bytes;
}

// Would catch: tiles of whole planes, which eight sweeps would not find again in the cache; tiles so narrow that most of
// their data is fetched twice; sweeps by twos.
TEST(Splicing, TilesOfACubeFitTheCache) {
  constexpr cache_sizes caches{48 << 10, mib, 32 * mib};
  for (const std::uint64_t workers : {1U, 2U}) {
    const tile_choice c = choose_tiles(cube, workers, caches);
    EXPECT_EQ(c.together, 8U);
    EXPECT_LE(window_of(cube, c), tile_window(workers, caches));
    EXPECT_GE(shape_of_tile(c.cells, cube.columns).columns, 24);
    EXPECT_LT(shape_of_tile(c.cells, cube.columns).columns, 100);
  }
}

// Would catch: one worker's window of a small cache that others share.
TEST(Splicing, ASmallerCacheHasFewerTreesAndNarrowerTiles) {
  constexpr cache_sizes small{32 << 10, mib / 4, mib};
  const tile_choice c = choose_tiles(cube, 1, small);
  EXPECT_LT(c.together, 8U);
  EXPECT_LE(window_of(cube, c), tile_window(1, small));
}

// Would catch: narrow tiles where whole rows fit; a last group of one tree.
TEST(Splicing, ShortRowsAreNotCut) {
  constexpr cache_sizes caches{48 << 10, mib, 32 * mib};
  rectangle_sweeps plate{
      .rows = 2000, .columns = 1000, .bytes = 16, .down = 1, .across = 1, .most = 17, .all = false};
  const tile_choice c = choose_tiles(plate, 1, caches);
  EXPECT_EQ(c.cells % 1000, 0);
  EXPECT_EQ(c.together, 17U);
  plate.across = -1;  // columns cannot be cut
  plate.columns = 1000000;
  EXPECT_EQ(choose_tiles(plate, 1, caches).cells % 1000000, 0);
  plate.most = 5;
  plate.all = true;
  EXPECT_EQ(choose_tiles(plate, 1, caches).together, 5U);
}

// Would catch: a number of cells that stands for two shapes, so that a saved order has other tiles than it was found for;
// a tile larger than was asked for.
TEST(Splicing, TheNumberOfCellsSaysTheShapeOfATile) {
  for (std::int64_t columns = 0; columns < 70; ++columns) {
    for (std::int64_t cells = 1; cells < 400; ++cells) {
      const tile_shape s = shape_of_tile(cells, columns);
      ASSERT_GE(s.rows, 1);
      ASSERT_GE(s.columns, 1);
      ASSERT_LE(s.columns, std::max<std::int64_t>(columns, 1));
      ASSERT_LE(s.rows * s.columns, cells);
      const tile_shape again = shape_of_tile(s.rows * s.columns, columns);
      ASSERT_EQ(again.rows, s.rows) << cells << " of " << columns;
      ASSERT_EQ(again.columns, s.columns) << cells << " of " << columns;
    }
  }
}

// Would catch: planes of a cube of which all sweeps would need more than the shared cache; trees one by one.
TEST(Splicing, TreesFarApartFitTheSharedCache) {
  constexpr cache_sizes caches{48 << 10, mib, 32 * mib};
  EXPECT_EQ(trees_that_fit(5 * mib / 2, 8, caches), 4U);
  EXPECT_EQ(trees_that_fit(mib, 8, caches), 8U);
  EXPECT_EQ(trees_that_fit(mib, 32, caches), 11U);
  EXPECT_EQ(trees_that_fit(100 * mib, 8, caches), 2U);
}

}  // namespace
