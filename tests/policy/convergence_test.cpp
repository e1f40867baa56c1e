// SPDX-License-Identifier: Apache-2.0
// When a refinement has converged.
#include <sennit/detail/convergence.hpp>

#include <gtest/gtest.h>

namespace {

using sennit::detail::convergence;

constexpr convergence::limits usual{.tolerance = 0.02, .vain_rounds = 2, .most_rounds = 10};

// Catches: a first round that is compared with nothing, and found no better.
TEST(convergence, begins_with_an_improvement) {
  convergence rule({.tolerance = 0.02, .vain_rounds = 1, .most_rounds = 10});
  EXPECT_FALSE(rule.done());
  rule.note(100, 50);
  EXPECT_FALSE(rule.done());
  rule.note(100, 50);
  EXPECT_TRUE(rule.done());
  EXPECT_EQ(rule.rounds(), 2U);
}

// Catches: vain rounds that are counted although one between them was better.
TEST(convergence, takes_vain_rounds_in_a_row) {
  convergence rule(usual);
  for (const double idle : {100, 100, 50, 50, 40}) {
    rule.note(100, idle);
    EXPECT_FALSE(rule.done()) << idle;
  }
  rule.note(100, 40);
  EXPECT_FALSE(rule.done());
  rule.note(100, 41);
  EXPECT_TRUE(rule.done());
}

// Catches: a rule that looks at idle time only: data that has moved shortens the tasks.
TEST(convergence, counts_either_time) {
  convergence rule({.tolerance = 0.02, .vain_rounds = 1, .most_rounds = 10});
  rule.note(100, 50);
  rule.note(90, 60);
  EXPECT_FALSE(rule.done());
  rule.note(95, 40);
  EXPECT_FALSE(rule.done());
  rule.note(91, 41);
  EXPECT_TRUE(rule.done());
}

// Catches: a share of the idle time only, or a difference that is exactly the tolerance.
TEST(convergence, ignores_less_than_a_share_of_all_time) {
  for (const bool noticed : {false, true}) {
    convergence rule({.tolerance = 0.25, .vain_rounds = 1, .most_rounds = 10});
    rule.note(128, 128);
    // A quarter of 192 is 48, and of 208 it is 52.
    rule.note(128, noticed ? 64 : 80);
    EXPECT_EQ(rule.done(), !noticed);
  }
  convergence all({.tolerance = 1, .vain_rounds = 1, .most_rounds = 10});
  all.note(100, 100);
  all.note(1, 100);
  EXPECT_TRUE(all.done());
}

// Catches: a comparison with the latest round, which lets a schedule get worse in small steps, and better again.
TEST(convergence, compares_with_the_best) {
  convergence rule(usual);
  rule.note(100, 10);
  rule.note(100, 30);
  EXPECT_FALSE(rule.done());
  rule.note(100, 20);
  EXPECT_TRUE(rule.done());
}

// Catches: a program whose every round is better, and that is refined forever; a last round that is not known.
TEST(convergence, ends_in_any_case) {
  convergence none({.tolerance = 0, .vain_rounds = 2, .most_rounds = 0});
  EXPECT_TRUE(none.done());
  convergence rule({.tolerance = 0, .vain_rounds = 2, .most_rounds = 3});
  for (unsigned round = 0; round < 3; ++round) {
    EXPECT_FALSE(rule.done());
    EXPECT_EQ(rule.last_is_next(), round == 2);
    rule.note(100.0 / (round + 1), 0);
  }
  EXPECT_TRUE(rule.done());
}

// Catches: the last round for the best, or a round that wastes less time and takes longer.
TEST(convergence, knows_its_best_round) {
  convergence rule({.tolerance = 0.02, .vain_rounds = 9, .most_rounds = 9});
  EXPECT_TRUE(rule.note(100, 50));
  EXPECT_FALSE(rule.note(140, 20));
  EXPECT_TRUE(rule.note(100, 40));
  EXPECT_FALSE(rule.note(100, 40));
}

// Catches: a coarse round that is given up for a difference that is none, or kept although it is slower.
TEST(convergence, prefers_a_round_that_is_as_good) {
  for (const bool slower : {false, true}) {
    convergence rule({.tolerance = 0.02, .vain_rounds = 9, .most_rounds = 9});
    rule.note(100, 0);
    EXPECT_EQ(rule.note(slower ? 103 : 101, 0, true), !slower);
  }
}

// Catches: a refinement that ends because the machine was busy.
TEST(convergence, does_not_count_a_disturbed_round) {
  convergence rule(usual);
  rule.note(100, 10);
  for (int i = 0; i < 2; ++i) rule.note(200, 100);
  EXPECT_FALSE(rule.done());
  convergence quiet(usual);
  quiet.note(100, 10);
  for (int i = 0; i < 2; ++i) quiet.note(100, 12);
  EXPECT_TRUE(quiet.done());
}

// Catches: times that are cast to integers.
TEST(convergence, takes_any_time) {
  convergence rule(usual);
  rule.note(1e300, 1e300);
  rule.note(1e299, 1e299);
  EXPECT_FALSE(rule.done());
}

}  // namespace
