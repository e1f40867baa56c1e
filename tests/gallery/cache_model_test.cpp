// SPDX-License-Identifier: Apache-2.0
// Simulated caches count what a real one would miss.
#include "gallery/cache_model.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gallery {
namespace {

constexpr std::size_t line = 64;

// Catches: lines of different sets that push each other out; a line that is used and leaves before one that
// is not.
TEST(SimulatedCache, TheLeastRecentlyUsedLineOfASetLeavesIt) {
  simulated_cache two_sets_of_two({.bytes = 4 * line, .ways = 2, .line = line});
  const auto touch = [&](std::uint32_t l) { return two_sets_of_two.touch(l, 0, 0); };
  for (const std::uint32_t l : {0U, 2U, 1U, 3U}) EXPECT_FALSE(touch(l));
  EXPECT_TRUE(touch(0));
  EXPECT_FALSE(touch(4));  // line 2 leaves
  EXPECT_TRUE(touch(0));
  EXPECT_FALSE(touch(2));
  EXPECT_TRUE(touch(1));
  EXPECT_TRUE(touch(3));
}

TEST(SimulatedCache, ACopyIsGoodUntilTheLineIsWrittenElsewhere) {
  simulated_cache cache({.bytes = 4 * line, .ways = 4, .line = line});
  EXPECT_FALSE(cache.touch(7, 0, 0));
  EXPECT_TRUE(cache.touch(7, 0, 1));  // written here
  EXPECT_TRUE(cache.touch(7, 1, 1));
  EXPECT_FALSE(cache.touch(7, 2, 2));  // written elsewhere meanwhile
  EXPECT_TRUE(cache.touch(7, 2, 2));
}

constexpr unsigned nodes = 4;
constexpr stencil_shape plate{.row_bytes = 2 * line, .rows = 3, .blocks = 64};
constexpr cache_shape room_for_all{.bytes = 4096 * line, .ways = 16, .line = line};

// Step after step: who runs block b in step s.
template <class Node>
std::vector<step_run> run(unsigned steps, const Node& node) {
  std::vector<step_run> all(steps);
  for (unsigned s = 0; s < steps; ++s) {
    for (std::uint32_t b = 0; b < plate.blocks; ++b) all[s].push_back({b, node(s, b)});
  }
  return all;
}

// Catches: first touches that count; rows beside a block that do not; arrays that are not taken in turns.
TEST(MissesOfStencil, OnlyBordersAreMissingIfBlocksStayWhereTheyAre) {
  const miss_count count = misses_of_stencil(
      run(5, [](unsigned, std::uint32_t b) { return b * nodes / static_cast<unsigned>(plate.blocks); }),
      plate, room_for_all, nodes);
  EXPECT_EQ(count.touches, 4 * 2 * (64 * (5 + 3) - 2));
  EXPECT_EQ(count.misses, 4 * 2 * (nodes - 1) * 2);
}

TEST(MissesOfStencil, NothingIsMissingOnOneNode) {
  EXPECT_EQ(
      misses_of_stencil(run(3, [](unsigned, std::uint32_t) { return 0U; }), plate, room_for_all, 1).misses,
      0);
}

TEST(MissesOfStencil, EachRowIsMissingOnceIfBlocksWander) {
  const miss_count count = misses_of_stencil(
      run(5, [](unsigned s,
                std::uint32_t b) { return (s + b * nodes / static_cast<unsigned>(plate.blocks)) % nodes; }),
      plate, room_for_all, nodes);
  // At a border the row on the one side is missing, too, and what was read on the other is written next.
  EXPECT_EQ(count.misses, 4 * 2 * 64 * (3 + 3));
}

// Catches: a size that is not heeded.
TEST(MissesOfStencil, AllButTheRowsBesideAreMissingIfTheCacheIsTooSmall) {
  const cache_shape room_for_a_block{.bytes = 32 * line, .ways = 32, .line = line};
  const miss_count count =
      misses_of_stencil(run(3, [](unsigned, std::uint32_t) { return 0U; }), plate, room_for_a_block, 1);
  // Of a block, three rows are written, and three read that the block before has not.
  EXPECT_EQ(count.misses, 2 * 2 * 64 * (3 + 3));
}

}  // namespace
}  // namespace gallery
