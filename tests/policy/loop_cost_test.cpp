// SPDX-License-Identifier: Apache-2.0
// What is remembered of a loop.
#include <sennit/detail/loop/cost.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using sennit::detail::loop_cost;

void take(loop_cost& cost, std::uint64_t ticks_an_iteration) {
  cost.took(100 * ticks_an_iteration + loop_cost::reading, 100);
}

// Catches a loop that is called brief before anything is known of it.
TEST(loop_cost, knows_nothing_at_first) {
  const loop_cost cost;
  EXPECT_FALSE(cost.known());
  EXPECT_EQ(cost.brief_iterations(), 0U);
}

// Catches a loop that has become long and is taken for a brief one for many times more.
TEST(loop_cost, believes_a_rise_at_once) {
  loop_cost cost;
  for (int i = 0; i < 1000; ++i) take(cost, 1);
  EXPECT_EQ(cost.brief_iterations(), loop_cost::brief);
  take(cost, 1'000'000);
  EXPECT_EQ(cost.brief_iterations(), 0U);
}

// Catches an interruption, or a first time with all its page faults, that makes a fast loop a slow one for good.
TEST(loop_cost, comes_down_from_an_interruption) {
  loop_cost cost;
  take(cost, 10);
  take(cost, 1'000'000);
  int times = 0;
  for (; cost.brief_iterations() < loop_cost::brief / 20; ++times) {
    ASSERT_LT(times, 20);
    take(cost, 10);
  }
}

// Catches measurements that differ a little and are written, each of them, to a line that all threads read.
TEST(loop_cost, keeps_to_what_it_has_where_that_is_about_right) {
  loop_cost cost;
  take(cost, 100);
  const std::uint64_t usual = cost.brief_iterations();
  take(cost, 110);
  take(cost, 90);
  EXPECT_EQ(cost.brief_iterations(), usual);
}

}  // namespace
