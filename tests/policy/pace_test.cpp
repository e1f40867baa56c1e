// SPDX-License-Identifier: Apache-2.0
// Chunks by measured time.
#include <sennit/detail/loop/pace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace {

using sennit::detail::loop_cost;
using sennit::detail::pace;
using sennit::detail::ticks;

// The chunk after one that took so long, of a loop of which nothing is known.
std::uint64_t next(std::uint64_t size, ticks took, std::uint64_t left) {
  pace chunks(0, 4);
  chunks.took(size, took);
  return chunks.next(left);
}

// Catches a chunk size that never reaches its target, or overshoots it: for iterations of many lengths.
TEST(pace, comes_to_chunks_of_about_the_target) {
  for (const std::uint64_t cost : {1, 10, 100, 1000}) {
    pace chunks(0, 4);
    std::uint64_t size = 1;
    for (int i = 0; i < 40; ++i) {
      chunks.took(size, size * cost);
      size = chunks.next(1'000'000'000);
    }
    EXPECT_GE(size * cost, pace::chunk / 2) << cost;
    EXPECT_LE(size * cost, pace::chunk * 2) << cost;
  }
}

// Catches chunks that keep what is left from thieves; and crumbs, which cost more to claim than to run.
TEST(pace, leaves_something_to_share_but_no_crumbs) {
  EXPECT_EQ(next(1000, pace::chunk, 8'000), 500U);
  const std::uint64_t size = next(1000, pace::chunk, 600);
  EXPECT_GE(size * pace::chunk / 1000, pace::least_chunk / 2);
  EXPECT_LE(size, 600U);
}

// Catches a claim of nothing, or of more than there is, at the end of a loop.
TEST(pace, claims_within_what_is_left) {
  for (const std::uint64_t left : {1, 2, 3, 100}) {
    for (const std::uint64_t took : {1, 1000, 100'000}) {
      const std::uint64_t size = next(64, took, left);
      EXPECT_GE(size, 1U);
      EXPECT_LE(size, left);
    }
  }
}

// Catches a loop that finds out anew each time how short its iterations are; and one that takes this for granted where its
// first iteration is a long one.
TEST(pace, begins_as_the_last_times_if_the_first_iteration_is_as_short) {
  const auto second = [](ticks first) {
    pace chunks(100, 4);
    chunks.took(1, first);
    return chunks.next(1'000'000);
  };
  EXPECT_EQ(second(loop_cost::brief / 8 - 1), 25U);
  EXPECT_LE(second(loop_cost::brief / 8), 8U);
  pace later(100, 4);
  later.took(1, 30);
  later.took(1, 30);
  EXPECT_LE(later.next(1'000'000), 8U);
}

// Catches pieces that are stolen at a price above their worth, and long iterations that nobody may take.
TEST(pace, knows_what_is_worth_a_steal) {
  pace chunks(100, 4);
  chunks.took(1, 30);
  EXPECT_EQ(chunks.worth_stealing(), 100U);
  chunks.took(40, loop_cost::brief);
  EXPECT_EQ(chunks.worth_stealing(), 20U);
  chunks.took(1, 10 * loop_cost::brief);
  EXPECT_EQ(chunks.worth_stealing(), 1U);
}

// Catches a cost that has the clock's own time in it, or forgets a chunk.
TEST(pace, sums_up_without_the_readings_of_the_clock) {
  pace chunks(0, 4);
  chunks.took(1, loop_cost::reading - 1);
  chunks.took(8, loop_cost::reading + 80);
  chunks.took(3, loop_cost::reading + 30);
  EXPECT_EQ(chunks.spent(), 110U);
  EXPECT_EQ(chunks.iterations(), 12U);
}

}  // namespace
