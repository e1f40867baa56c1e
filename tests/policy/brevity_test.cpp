// SPDX-License-Identifier: Apache-2.0
// How long a fork is expected to take.
#include "policy/brevity.hpp"

#include <gtest/gtest.h>

namespace sennit::policy {
namespace {

// Catches a rise that is learned as slowly as a fall, so that what has become long is taken for brief for long; and a single
// brief fork that hides the long ones after it.
TEST(brevity, believes_a_rise_sooner_than_a_fall) {
  EXPECT_FLOAT_EQ(learned(0.25F, 0.75F), 0.5F);
  EXPECT_FLOAT_EQ(learned(1, 0), 0.875F);
}

// Catches a share of nothing known that looks like a duration.
TEST(brevity, takes_shares_of_known_times_only) {
  EXPECT_EQ(share_of(unknown_ns, 0.5F), unknown_ns);
  EXPECT_EQ(share_of(1'000, 0.25F), 250U);
  EXPECT_LT(share_of(unknown_ns - 1, 8), unknown_ns);
}

// Catches a right branch that is said to take as long as the left one, or the whole fork.
TEST(brevity, expects_of_a_right_branch_what_the_left_one_left) {
  EXPECT_EQ(right_after(300, 400, {.of_body = 1, .left = 0.75F, .right = 0.25F}), 100U);
  EXPECT_EQ(right_after(300, 400, {}), 100U);
  EXPECT_EQ(right_after(400, 300, {}), unknown_ns);
  EXPECT_EQ(right_after(300, unknown_ns, {}), unknown_ns);
}

}  // namespace
}  // namespace sennit::policy
