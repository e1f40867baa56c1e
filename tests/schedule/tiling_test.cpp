// SPDX-License-Identifier: Apache-2.0
// Tiles of arrays: each loop over an array runs where the array's tiles are.
#include "../core/support.hpp"
#include "programs.hpp"
#include "schedule/loop_parts.hpp"
#include "schedule/worker_runs.hpp"
#include "trees.hpp"

#include <sennit/distribution.hpp>
#include <sennit/nest.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/replay.hpp>
#include <sennit/sennit.hpp>
#include <sennit/tiling.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using sennit::extent;
using sennit::tiling;
using sennit::detail::loop_reader;
using sennit::detail::run;
using sennit::detail::runs_of_loop;
using sennit::detail::schedule_access;
using sennit::detail::steal;
using sennit_test::settings;
using sennit_test::stored;
using sennit_test::under;
using sennit_test::work_for;
using cell = std::array<std::ptrdiff_t, 3>;

TEST(Runs, AreCutWhereTheyBeginHoweverUnequal) {
  // Catches: a run that begins too near to an end, so that the loop is cut elsewhere.
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<run> runs{{0, 0}};
    const std::uint64_t grain = round % 2 == 0 ? 1 : 1 + random() % 7;
    std::uint64_t n = 0;
    std::vector<unsigned> expected;
    for (unsigned i = 0, all = 1 + random() % 20; i < all; ++i) {
      const std::uint64_t size = grain * (random() % 3 == 0 ? 1 + random() % 1000 : 1 + random() % 3);
      const auto worker = static_cast<unsigned>(i == 0 ? 0 : (runs.back().worker + 1 + random() % 4) % 6);
      if (i != 0) runs.push_back({n, worker});
      n += size;
      expected.resize(n, worker);
    }
    steal loop{.what = steal::kind::loop, .size = n};
    runs_of_loop(runs, n, grain).add_all(loop.inside);
    const auto s = sennit::detail::loops_of(std::move(loop), 6, 1);
    const auto tree = schedule_access::tree(s);
    loop_reader loops(tree->root);
    std::vector<unsigned> found;
    for (const auto& [last, by] : loops.take(0, n)) found.resize(last, by);
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

TEST(Blocks, GiveSharesThatDifferByOne) {
  // Catches: a worker with nothing, or with two shares, where there is enough for all.
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t n = 1 + random() % 3000;
    const auto workers = static_cast<unsigned>(1 + random() % 40);
    const auto tree = schedule_access::tree(sennit::block_distribution(n, workers));
    loop_reader loops(tree->root);
    std::vector<std::uint64_t> share(workers);
    std::uint64_t first = 0;
    for (const auto& [last, by] : loops.take(0, n)) {
      share[by] += last - first;
      first = last;
    }
    for (const std::uint64_t s : share) {
      ASSERT_GE(s, n / workers) << n << " on " << workers;
      ASSERT_LE(s, (n + workers - 1) / workers) << n << " on " << workers;
    }
  }
}

// Tiles at random over a box, of which worker 0 has the first cell, and a part of the box that begins there.
struct tiled_box {
  cell size;
  cell part;
  tiling<3> tiles;

  static std::ptrdiff_t below(std::mt19937& random, std::ptrdiff_t n) {
    return static_cast<std::ptrdiff_t>(random() % static_cast<std::uint64_t>(n));
  }
  static tiled_box make(std::mt19937& random, unsigned workers) {
    cell size;
    cell part;
    for (std::size_t d = 0; d < 3; ++d) {
      size[d] = 2 + below(random, 9);
      part[d] = size[d] - below(random, 2);
    }
    tiled_box made{size, part, tiling<3>({size[0], size[1], size[2]})};
    if (random() % 2 == 0) {
      made.tiles.designate_blocks({1 + static_cast<unsigned>(random() % 2),
                                   1 + static_cast<unsigned>(random() % 2),
                                   1 + static_cast<unsigned>(random() % 2)});
      return made;
    }
    for (unsigned i = 0, all = random() % 8; i < all; ++i) {
      sennit::tile<3> t;
      for (std::size_t d = 0; d < 3; ++d) {
        const std::ptrdiff_t begin = below(random, size[d]);
        t.set(d, begin, begin + 1 + below(random, size[d]));
      }
      made.tiles.designate(t, static_cast<unsigned>(random() % workers));
    }
    made.tiles.designate({1, 1, 1}, 0);
    return made;
  }
};

TEST(Tiling, IsFollowedByNestsAndByLoopsInLoops) {
  // Catches: a cell that runs elsewhere than its tile; loops inside loops that are counted otherwise than they run.
  under(settings({8}), [](sennit::runtime& rt) {
    rt.run([] {
      std::mt19937 random(3);
      for (int round = 0; round < sennit_test::scaled(20); ++round) {
        const tiled_box box = tiled_box::make(random, 8);
        const auto [planes, rows, columns] = box.part;
        const unsigned first = sennit::worker_index();
        const auto check = [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
          // Loops that are known to be brief are not cut.
          work_for(std::chrono::microseconds(4));
          EXPECT_EQ((sennit::worker_index() + 8 - first) % 8, box.tiles.worker_of({i, j, k}))
              << "round " << round << ", cell " << i << ' ' << j << ' ' << k;
        };
        sennit::replay(stored(box.tiles.nest({planes, rows, columns}, 2)), sennit::strict_unordered, [&] {
          for (int times = 0; times < 2; ++times) sennit::parallel_for_nest({planes, rows, columns}, check);
        });
        sennit::replay(stored(box.tiles.loops({planes, rows, columns}, 2)), sennit::strict_unordered, [&] {
          for (int times = 0; times < 2; ++times) {
            sennit::parallel_for(planes, [&](std::ptrdiff_t i) {
              sennit::parallel_for(rows, [&](std::ptrdiff_t j) {
                sennit::parallel_for(columns, [&](std::ptrdiff_t k) { check(i, j, k); });
              });
            });
          }
        });
        if (testing::Test::HasFailure()) return;
      }
    });
  });
}

TEST(Tiling, OfManyRowsIsFollowedByLoopsInLoops) {
  // Catches: rows that share a leaf of their loop, and the constructs that follow such a leaf.
  under(settings({4}), [](sennit::runtime& rt) {
    rt.run([] {
      constexpr std::ptrdiff_t n = 700;
      constexpr std::ptrdiff_t m = 3;
      tiling<2> tiles({n, m});
      tiles.designate({{0, 500}, {2, 3}}, 1).designate({{211, n}, m}, 2).designate({{600, 601}, {1, 2}}, 3);
      const unsigned first = sennit::worker_index();
      sennit::replay(tiles.loops(), sennit::strict_unordered, [&] {
        sennit::parallel_for(n, [&](std::ptrdiff_t i) {
          sennit::parallel_for(m, [&](std::ptrdiff_t j) {
            work_for(std::chrono::microseconds(4));
            EXPECT_EQ((sennit::worker_index() + 4 - first) % 4, tiles.worker_of({i, j})) << i << ' ' << j;
          });
        });
      });
    });
  });
}

TEST(Tiling, RefusesWhatNoLoopCanFollow) {
  // Catches: a loop that worker 0 begins although another worker has all of it; sizes that wrap around.
  tiling<2> tiles({10, 10});
  tiles.designate({{5, 10}, 10}, 1);
  EXPECT_EQ(tiles.nest({{2, 7}, {3, 9}}), tiles.nest({{2, 7}, {3, 9}}, 1));
  EXPECT_THROW((void)tiles.nest({{6, 10}, 10}), std::invalid_argument);
  EXPECT_THROW((void)tiles.loops({{6, 10}, 10}), std::invalid_argument);
  EXPECT_THROW(tiles.designate({1, 1}, 1U << 16), std::invalid_argument);
  EXPECT_THROW(tiles.designate_blocks({0, 2}), std::invalid_argument);
  EXPECT_THROW(tiles.designate_blocks({1U << 16, 2}), std::invalid_argument);
  EXPECT_EQ(tiles.worker_of({7, 5}), 1U);  // a call that fails changes nothing
  EXPECT_EQ(tiles.nest({{3, 3}, 10}), sennit::schedule());
  const std::ptrdiff_t large = std::ptrdiff_t{1} << 40;
  EXPECT_THROW((void)tiling<2>({large, large}).nest(), std::invalid_argument);
  EXPECT_THROW(tiles.designate({{8, 2}, {1, 3}}, 1), std::invalid_argument);
  EXPECT_THROW((void)tiles.nest({{5, 11}, 10}), std::invalid_argument);
  EXPECT_THROW((void)tiles.loops({{-1, 5}, 10}), std::invalid_argument);
  EXPECT_THROW((void)tiling<2>({-3, 5}).nest(), std::invalid_argument);
  // Would take hours.
  EXPECT_THROW((void)tiling<2>({large, 2}).nest(), std::invalid_argument);
  EXPECT_THROW((void)tiling<3>({2, large, 2}).loops(), std::invalid_argument);
}

TEST(Tiling, InBlocksIsWhatBlocksAre) {
  // Catches: blocks that are counted in another order, or cut elsewhere.
  std::mt19937 random(4);
  for (int round = 0; round < 50; ++round) {
    const auto n = static_cast<std::ptrdiff_t>(1 + random() % 40);
    const auto m = static_cast<std::ptrdiff_t>(1 + random() % 40);
    const auto down = static_cast<unsigned>(1 + random() % 5);
    const auto across = static_cast<unsigned>(1 + random() % 5);
    tiling<2> tiles({n, m});
    tiles.designate_blocks({down, across});
    EXPECT_EQ(tiles.nest(), sennit::block_distribution_2d(static_cast<std::uint64_t>(n),
                                                          static_cast<std::uint64_t>(m), down, across))
        << n << " x " << m << " on " << down << " x " << across;
  }
}

}  // namespace
