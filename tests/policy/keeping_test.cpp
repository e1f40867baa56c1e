// SPDX-License-Identifier: Apache-2.0
// keep_for(): how long a thief keeps the work of a pipeline.
// Catches: a time that does not follow the gaps, that lasts after them, or that has no bound.
#include "policy/keeping.hpp"

#include <gtest/gtest.h>

namespace sennit::policy {
namespace {

TEST(keeping, follows_the_gap) {
  EXPECT_EQ(keep_for(0, 0), 0U);
  EXPECT_EQ(keep_for(0, 1'000), 16'000U);
  EXPECT_EQ(keep_for(16'000, 5'000), 80'000U);
  EXPECT_LE(keep_for(0, 1'000'000'000), longest_keep_ns);
}

// Catches: a time that ends at once without a gap, or that lasts as long each time.
TEST(keeping, halves_without_a_gap) {
  EXPECT_EQ(keep_for(16'000, 0), 8'000U);
  EXPECT_EQ(keep_for(16'000, 400), 8'000U);
  EXPECT_EQ(keep_for(16'000, 600), 9'600U);
}

TEST(keeping, ends_where_there_are_no_gaps) {
  std::uint64_t keep = longest_keep_ns;
  for (int thieves = 0; thieves < 10; ++thieves) keep = keep_for(keep, 0);
  EXPECT_LT(keep, shortest_keep_ns);
}

}  // namespace
}  // namespace sennit::policy
