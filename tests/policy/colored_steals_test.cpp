// When a worker without work leaves work of other colors to their own workers.
#include "policy/colored_steals.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using sennit::policy::colored_steals;

// Catches: a wait that is not in proportion to what items take, or does not end.
TEST(colored_steals, waits_for_as_long_as_items_take) {
  colored_steals rules;
  EXPECT_FALSE(rules.own_only(0));
  rules.ran_out(2, 1, 10, 1000, 50);  // items of 100 ns each
  EXPECT_TRUE(rules.might_be_own_only());
  EXPECT_TRUE(rules.own_only(50));
  EXPECT_TRUE(rules.own_only(249));
  EXPECT_FALSE(rules.own_only(250));
  rules.ran_out(0, 1, 10, 1000, 300);
  EXPECT_FALSE(rules.own_only(300));
}

// Catches: a worker that waits for a color of which there is nothing, as in a graph of one color or of none.
TEST(colored_steals, does_not_wait_without_own_items) {
  colored_steals rules;
  rules.ran_out(1e6, 0, 1000, 1'000'000'000, 7);
  EXPECT_FALSE(rules.might_be_own_only());
}

// Catches: a wait that goes on although the worker has had other work meanwhile.
TEST(colored_steals, waits_no_longer_once_it_has_work) {
  colored_steals rules;
  rules.ran_out(2, 1, 1, 1000, 0);
  rules.forget();
  EXPECT_FALSE(rules.own_only(0));
  EXPECT_FALSE(rules.might_be_own_only());
}

// Catches: an average of no items, and a time that wraps around.
TEST(colored_steals, takes_any_numbers) {
  colored_steals rules;
  rules.ran_out(1, 1, 0, 100, 0);
  EXPECT_TRUE(rules.own_only(99));
  rules.ran_out(1e6, 1, 1, std::uint64_t{1} << 63, 5);
  EXPECT_TRUE(rules.own_only(1'000'000'000'000'000'000));
}

}  // namespace
