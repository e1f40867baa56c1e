// Chunks by measured time.
#include <sennit/detail/loop/pace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace {

using sennit::detail::pace;

// Catches a chunk size that never reaches its target, or overshoots it: for iterations of many lengths.
TEST(pace, comes_to_chunks_of_about_the_target) {
  for (const std::uint64_t cost : {1, 10, 100, 1000}) {
    std::uint64_t size = 1;
    for (int i = 0; i < 40; ++i) size = pace::next(size, size * cost, 1'000'000'000, 4);
    EXPECT_GE(size * cost, pace::chunk / 2) << cost;
    EXPECT_LE(size * cost, pace::chunk * 2) << cost;
  }
}

// Catches chunks that keep what is left from thieves; and crumbs, which cost more to claim than to run.
TEST(pace, leaves_something_to_share_but_no_crumbs) {
  EXPECT_EQ(pace::next(1000, pace::chunk, 8'000, 4), 500U);
  const std::uint64_t size = pace::next(1000, pace::chunk, 600, 4);
  EXPECT_GE(size * pace::chunk / 1000, pace::least_chunk / 2);
  EXPECT_LE(size, 600U);
}

// Catches a claim of nothing, or of more than there is, at the end of a loop.
TEST(pace, claims_within_what_is_left) {
  for (const std::uint64_t left : {1, 2, 3, 100}) {
    for (const std::uint64_t took : {1, 1000, 100'000}) {
      const std::uint64_t size = pace::next(64, took, left, 4);
      EXPECT_GE(size, 1U);
      EXPECT_LE(size, left);
    }
  }
}

}  // namespace
