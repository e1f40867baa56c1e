// SPDX-License-Identifier: Apache-2.0
// When a worker's next promotion is in time.
#include "policy/beats.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using sennit::policy::beats;

// Catches promotions on demand that are made to wait for those before them.
TEST(beats, without_a_period_any_time_is_right) {
  beats b;
  EXPECT_EQ(b.period_ns(), 0U);
  EXPECT_EQ(b.next_ns(), 0U);
  b.promoted(1'000);
  EXPECT_EQ(b.next_ns(), 0U);
}

// Catches a first promotion that waits although nothing has been promoted, and later ones that do not wait, or wait for
// a period from the beginning instead of from the last one.
TEST(beats, a_period_lies_between_promotions) {
  beats b;
  b.set_period(100);
  EXPECT_EQ(b.period_ns(), 100U);
  EXPECT_EQ(b.next_ns(), 0U);
  b.promoted(1'000);
  EXPECT_EQ(b.next_ns(), 1'100U);
  b.promoted(1'730);
  EXPECT_EQ(b.next_ns(), 1'830U);
}

// Catches a period kept from the region before, and a last promotion that is forgotten when the period changes: then
// whoever changes it often promotes at any time.
TEST(beats, the_period_in_force_counts_from_the_last_promotion) {
  beats b;
  b.set_period(100);
  b.promoted(1'000);
  b.set_period(0);
  EXPECT_EQ(b.next_ns(), 0U);
  b.set_period(5'000);
  EXPECT_EQ(b.next_ns(), 6'000U);
}

}  // namespace
