// SPDX-License-Identifier: Apache-2.0
// When a schedule that has converged does not fit any more.
#include <sennit/detail/drift.hpp>

#include <gtest/gtest.h>

namespace {

using sennit::detail::drift;

// The phases of one length that pass until the schedule is given up; at most `most`.
unsigned phases_until_given_up(drift& rule, double took, unsigned most) {
  unsigned phases = 0;
  while (phases < most) {
    ++phases;
    if (rule.note(took)) return phases;
  }
  return most + 1;
}

void settle(drift& rule, double took) {
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(rule.note(took));
}

// Catches: a slow worker that nobody notices, or one interrupt that is taken for it.
TEST(drift, is_noticed_within_three_phases) {
  drift rule;
  rule.begin(100);
  settle(rule, 100);
  EXPECT_EQ(phases_until_given_up(rule, 400, 10), 3U);
  drift disturbed;
  disturbed.begin(100);
  settle(disturbed, 100);
  for (int i = 0; i < 30; ++i) EXPECT_FALSE(disturbed.note(i % 3 == 2 ? 100 : 400));
}

// Catches: a schedule that is given up for a difference that every machine makes.
TEST(drift, is_more_than_noise) {
  drift rule;
  rule.begin(100);
  settle(rule, 100);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(rule.note(i % 2 == 0 ? 120 : 90));
}

// Catches: a refinement without end on a machine that has become slower. Of 10,000 phases, fewer than 1 percent are
// followed by another beginning.
TEST(drift, is_not_noticed_again_and_again) {
  drift rule;
  rule.begin(100);
  unsigned beginnings = 0;
  for (int phase = 0; phase < 10'000; ++phase) {
    if (!rule.note(phase / 50 % 2 == 0 ? 100 : 200)) continue;
    ++beginnings;
    rule.begin(200);
  }
  EXPECT_LT(beginnings, 100U);
}

// Catches: patience that is not lost again once a new schedule has helped.
TEST(drift, is_noticed_early_again_once_a_schedule_has_helped) {
  drift rule;
  rule.begin(100);
  settle(rule, 100);
  EXPECT_EQ(phases_until_given_up(rule, 400, 10), 3U);
  rule.begin(400);
  settle(rule, 400);
  EXPECT_EQ(phases_until_given_up(rule, 900, 10), 6U);
  rule.begin(300);
  settle(rule, 300);
  EXPECT_EQ(phases_until_given_up(rule, 900, 10), 3U);
}

}  // namespace
