// When a thief insists on work of its own color.
#include "policy/colored_steals.hpp"

#include <sennit/detail/colors.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using sennit::detail::color_bit;
using sennit::policy::colored_steals;

// How many attempts are colored before the next one that is not.
unsigned colored_before_random(colored_steals& rules) {
  unsigned count = 0;
  while (rules.next_is_colored()) ++count;
  return count;
}

// Catches: a first steal that waits for its color for ever, or does not wait at all; one that is the first
// again and again.
TEST(colored_steals, insists_on_the_first_steal_for_so_long) {
  colored_steals rules;
  rules.begin({.first = 100, .others = 4});
  EXPECT_EQ(colored_before_random(rules), 100U);
  EXPECT_EQ(colored_before_random(rules), 4U);
  EXPECT_EQ(colored_before_random(rules), 4U);
  rules.begin({.first = 7, .others = 2});
  EXPECT_EQ(colored_before_random(rules), 7U);
  EXPECT_EQ(colored_before_random(rules), 2U);
}

// Catches: a thief that goes on to insist after its first steal, and one that forgets to prefer its color
// from then on.
TEST(colored_steals, prefers_its_color_once_it_found_work) {
  colored_steals rules;
  rules.begin({.first = 100, .others = 4});
  EXPECT_TRUE(rules.next_is_colored());
  rules.found_work();
  EXPECT_EQ(colored_before_random(rules), 4U);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(rules.next_is_colored());
  rules.found_work();
  EXPECT_EQ(colored_before_random(rules), 4U);
}

// Catches: a constant of zero that wraps around.
TEST(colored_steals, may_insist_on_nothing) {
  colored_steals rules;
  EXPECT_FALSE(rules.next_is_colored());
  rules.begin({.first = 0, .others = 0});
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(rules.next_is_colored());
  rules.begin({.first = 3, .others = 0});
  EXPECT_EQ(colored_before_random(rules), 3U);
  EXPECT_EQ(colored_before_random(rules), 0U);
  rules.found_work();
  EXPECT_EQ(colored_before_random(rules), 0U);
}

// Catches: colors that have no bit, or one with another.
TEST(colored_steals, has_a_bit_for_each_color) {
  sennit::detail::color_set all = 0;
  for (unsigned color = 0; color < sennit::detail::most_colors; ++color) all += color_bit(color);
  EXPECT_EQ(all, sennit::detail::all_colors);
}

}  // namespace
