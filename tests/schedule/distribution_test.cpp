// SPDX-License-Identifier: Apache-2.0
// Blocks of loops, grids and nests: each worker gets its share, whatever the sizes.
#include "../core/support.hpp"
#include "programs.hpp"
#include "schedule/loop_parts.hpp"
#include "trees.hpp"

#include <sennit/distribution.hpp>
#include <sennit/nest.hpp>
#include <sennit/replay.hpp>
#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using sennit::detail::loop_reader;
using sennit::detail::schedule_access;
using sennit_test::settings;
using sennit_test::stored;
using sennit_test::under;
using sennit_test::work_for;

// The part of the index, where the sizes of the parts differ by at most one.
std::uint64_t part_of(std::uint64_t index, std::uint64_t size, std::uint64_t parts) {
  return index * parts / size;
}

struct grid {
  std::array<std::uint64_t, 3> size;
  std::array<unsigned, 3> workers;

  std::uint64_t cells() const { return size[0] * size[1] * size[2]; }
  std::uint64_t owner(std::uint64_t cell) const {
    const std::uint64_t column = part_of(cell % size[2], size[2], workers[2]);
    const std::uint64_t row = part_of(cell / size[2] % size[1], size[1], workers[1]);
    const std::uint64_t plane = part_of(cell / size[2] / size[1], size[0], workers[0]);
    return (plane * workers[1] + row) * workers[2] + column;
  }
  sennit::schedule blocks() const {
    return sennit::block_distribution_3d(size[0], size[1], size[2], workers[0], workers[1], workers[2]);
  }
};

// Who runs each iteration of the first loop of a schedule.
std::vector<std::uint64_t> owners(const sennit::schedule& s, std::uint64_t iterations) {
  const auto tree = schedule_access::tree(s);
  loop_reader loops(tree->root);
  loops.skip_waits();
  std::vector<std::uint64_t> result;
  for (const auto& [last, by] : loops.take(0, iterations)) result.resize(last, by);
  return result;
}

grid random_grid(std::mt19937& random, std::uint32_t most_size, unsigned most_workers) {
  grid made{};
  for (std::uint64_t& size : made.size) size = 1 + random() % most_size;
  for (unsigned& workers : made.workers) workers = 1 + random() % most_workers;
  return made;
}

TEST(Blocks, GiveEachWorkerItsShareForAnySizes) {
  // Catches: blocks that are as coarse as the leaves of the loop; a cut that is rounded, or taken for another's.
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const grid g = random_grid(random, 30, 6);
    const std::vector<std::uint64_t> found = owners(stored(g.blocks()), g.cells());
    ASSERT_EQ(found.size(), g.cells());
    for (std::uint64_t cell = 0; cell < g.cells(); ++cell)
      ASSERT_EQ(found[cell], g.owner(cell)) << "round " << round << ", cell " << cell;
  }
}

TEST(Blocks, OfOneAndTwoDimensionsAreThoseOfThree) {
  // Catches: dimensions that are taken for each other.
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    const grid g = random_grid(random, 40, 5);
    EXPECT_EQ(sennit::block_distribution(g.size[0], g.workers[0]),
              sennit::block_distribution_3d(1, 1, g.size[0], 1, 1, g.workers[0]));
    EXPECT_EQ(sennit::block_distribution_2d(g.size[0], g.size[1], g.workers[0], g.workers[1]),
              sennit::block_distribution_3d(1, g.size[0], g.size[1], 1, g.workers[0], g.workers[1]));
  }
}

TEST(Blocks, AreCutAtMultiplesOfTheGrain) {
  // Catches: a leaf that two workers run.
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t n = 1 + random() % 500;
    const std::uint64_t grain = 1 + random() % 20;
    const auto workers = static_cast<unsigned>(1 + random() % 8);
    const std::vector<std::uint64_t> found = owners(sennit::block_distribution(n, workers, 1, grain), n);
    for (std::uint64_t i = 1; i < n; ++i) {
      if (i % grain == 0) continue;
      ASSERT_EQ(found[i], found[i - 1]) << i << " of " << n << " by " << grain;
    }
  }
}

TEST(Blocks, RefuseWhatNoLoopIs) {
  // Catches: a product that wraps around, a division by no workers.
  EXPECT_THROW((void)sennit::block_distribution(10, 0), std::invalid_argument);
  EXPECT_THROW((void)sennit::block_distribution_2d(10, 10, 2, 0), std::invalid_argument);
  EXPECT_THROW((void)sennit::block_distribution_2d(std::uint64_t{1} << 40, std::uint64_t{1} << 40, 2, 2),
               std::invalid_argument);
  EXPECT_THROW((void)sennit::block_distribution_3d(9, 9, 9, 1 << 10, 1 << 10, 1 << 10),
               std::invalid_argument);
  EXPECT_EQ(sennit::block_distribution_3d(9, 0, 9, 2, 2, 2), sennit::schedule());
}

// Which worker ran each cell of a kernel that calls its argument for each.
template <class Kernel>
std::vector<std::uint64_t> ran_on(std::uint64_t cells, Kernel&& kernel) {
  std::vector<std::uint64_t> by(cells, 99);
  const unsigned first = sennit::worker_index();
  const unsigned workers = sennit::worker_count();
  kernel([&, first, workers](std::uint64_t cell) {
    work_for(std::chrono::microseconds(1));
    by[cell] = (sennit::worker_index() + workers - first) % workers;
  });
  return by;
}

TEST(Blocks, AreFollowedByLoopsAndNests) {
  // Catches: a loop that is cut otherwise than its schedule says; cuts that a recording loses.
  under(settings({8}), [](sennit::runtime& rt) {
    rt.run([] {
      std::mt19937 random(4);
      for (int round = 0; round < sennit_test::scaled(20); ++round) {
        grid g = random_grid(random, 14, 2);
        const sennit::schedule blocks = g.blocks();
        std::vector<std::uint64_t> expected(g.cells());
        for (std::uint64_t cell = 0; cell < g.cells(); ++cell) expected[cell] = g.owner(cell);
        const auto loop = [&](auto&& body) { sennit::parallel_for(std::uint64_t{0}, g.cells(), body); };
        const auto nest = [&](auto&& body) {
          sennit::parallel_for_nest({g.size[0], g.size[1], g.size[2]}, [&](auto i, auto j, auto k) {
            body((static_cast<std::uint64_t>(i) * g.size[1] + static_cast<std::uint64_t>(j)) * g.size[2] +
                 static_cast<std::uint64_t>(k));
          });
        };
        const auto followed = [&](const sennit::schedule& s, auto&& kernel) {
          return ran_on(g.cells(), [&](auto&& body) {
            sennit::replay(s, sennit::strict_unordered, [&] { kernel(body); });
          });
        };
        // Loops that are known to be brief are not cut.
        if (g.cells() < 50) continue;
        ASSERT_EQ(followed(blocks, loop), expected) << "round " << round;
        ASSERT_EQ(followed(blocks, nest), expected) << "round " << round;
        sennit::schedule again;
        (void)ran_on(g.cells(), [&](auto&& body) {
          again = stored(sennit::record(blocks, sennit::strict_unordered, [&] { loop(body); }));
        });
        ASSERT_EQ(owners(again, g.cells()), expected);
        ASSERT_EQ(followed(again, loop), expected) << "round " << round;
      }
    });
  });
}

TEST(Blocks, OfAnotherLengthAreInProportion) {
  // Catches: cuts that mean other iterations in a longer loop, and a recording that scales them twice.
  under(settings({3}), [](sennit::runtime& rt) {
    rt.run([] {
      const sennit::schedule thirds = sennit::block_distribution(300, 3);
      for (const std::uint64_t n : {150U, 600U, 3000U}) {
        sennit::schedule recorded;
        const std::vector<std::uint64_t> by = ran_on(n, [&](auto&& body) {
          recorded = sennit::record(thirds, sennit::strict_unordered,
                                    [&] { sennit::parallel_for(std::uint64_t{0}, n, body); });
        });
        for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(by[i], part_of(i, n, 3)) << i << " of " << n;
        EXPECT_EQ(owners(recorded, n), by);
      }
    });
  });
}

TEST(Blocks, ThatArePrunedAreCutAsBefore) {
  // Catches: a fork that is dropped with its thief, so that those behind it cut other parts.
  const sennit::schedule all = sennit::block_distribution(1000, 7);
  const std::vector<std::uint64_t> before = owners(all, 1000);
  const std::vector<std::uint64_t> after = owners(stored(all.prune(50)), 1000);
  for (std::uint64_t i = 1; i < 1000; ++i) {
    EXPECT_TRUE(after[i] == after[i - 1] || before[i] != before[i - 1]) << i;
  }
}

}  // namespace
