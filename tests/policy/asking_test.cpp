// SPDX-License-Identifier: Apache-2.0
// When a thief that has asked takes a frame behind a barrier.
#include "policy/asking.hpp"

#include <gtest/gtest.h>

namespace {

using sennit::policy::asking;

// Catches a thief that waits for much longer than a barrier takes, or not at all.
TEST(asking, lasts_about_as_long_as_a_barrier) {
  asking a;
  for (int i = 0; i < 50; ++i) a.barrier_took(16'000);
  EXPECT_FALSE(a.silent(8'000));
  EXPECT_TRUE(a.silent(17'000));
  for (int i = 0; i < 50; ++i) a.barrier_took(500);
  EXPECT_FALSE(a.silent(100));
  EXPECT_TRUE(a.silent(1'000));
}

// Catches a thief that forgets what barriers took before, or that does not learn: each barrier counts a quarter.
TEST(asking, weighs_a_barrier_with_those_before) {
  asking a(2);
  EXPECT_EQ(a.patience_ns(), 1'000U);
  a.barrier_took(5'000);
  EXPECT_EQ(a.patience_ns(), 2'000U);
  a.barrier_took(0);
  EXPECT_EQ(a.patience_ns(), 1'500U);
}

// Catches a first barrier that comes at once where it takes a millisecond.
TEST(asking, takes_barriers_to_last_longer_with_more_workers) {
  EXPECT_TRUE(asking(2).silent(1'000));
  EXPECT_FALSE(asking(1024).silent(100'000));
  EXPECT_TRUE(asking(1024).silent(1'000'000));
}

}  // namespace
