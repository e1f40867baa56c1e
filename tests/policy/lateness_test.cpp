// SPDX-License-Identifier: Apache-2.0
// When a worker of a schedule counts as late.
#include "policy/lateness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace {

using sennit::policy::lateness;

// Catches: an average that never forgets, or that a single strand decides.
TEST(lateness, averages_the_latest_strands) {
  std::uint64_t ns = lateness::strand_ns(0, 1000);
  EXPECT_EQ(ns, 1000U);
  ns = lateness::strand_ns(ns, 9000);
  EXPECT_GT(ns, 1000U);
  EXPECT_LT(ns, 3000U);
  for (int i = 0; i < 100; ++i) ns = lateness::strand_ns(ns, 9000);
  EXPECT_GT(ns, 8000U);
  EXPECT_GT(lateness::strand_ns(1, 0), 0U);
}

// Catches: a donation that is open before its worker could have come to it, or so late that nobody gains by it.
TEST(lateness, gives_a_worker_time_for_what_came_before) {
  constexpr std::uint64_t strand = 1'000'000;
  for (const std::uint64_t before : {0U, 1U, 7U}) {
    const std::uint64_t opens = lateness::before_donation_ns(strand, before);
    EXPECT_GT(opens, strand * (before + 1));
    EXPECT_LT(opens, 2 * strand * (before + 1));
  }
}

// Catches: strands whose frames are private to their end, or that others take before the schedule has been dealt out.
TEST(lateness, opens_frames_before_the_strand_ends) {
  for (const std::uint64_t strand : {1'000'000U, 10'000'000U, 1'000'000'000U})
    EXPECT_LT(lateness::before_frames_ns(strand), strand / 2);
}

// Catches: workers without a processor that count as late ones; strands that still count as such long after the others have
// made room.
TEST(lateness, waits_longer_in_a_crowd) {
  using crowd = lateness::crowd;
  for (const std::uint64_t strand : {0U, 1'000'000U, 100'000'000U}) {
    const std::uint64_t known = strand != 0 ? strand : 8'000'000;
    EXPECT_GT(lateness::before_frames_ns(strand, crowd::present), 2 * known);
    EXPECT_GT(lateness::before_frames_ns(strand, crowd::past), known);
    EXPECT_LT(lateness::before_frames_ns(strand, crowd::past), 3 * known / 2);
    EXPECT_GT(lateness::before_donation_ns(strand, 3, crowd::present),
              lateness::before_donation_ns(strand, 3));
    EXPECT_EQ(lateness::before_donation_ns(strand, 3, crowd::past), lateness::before_donation_ns(strand, 3));
  }
}

// Catches: branches that are open to all at once where tasks are short, or nothing is known.
TEST(lateness, knows_that_a_branch_takes_time_to_arrive) {
  for (const std::uint64_t strand : {0U, 1U, 1000U}) {
    EXPECT_GE(lateness::before_frames_ns(strand), lateness::delivery_ns);
    EXPECT_GE(lateness::before_donation_ns(strand, 0), lateness::delivery_ns);
  }
}

}  // namespace
