// SPDX-License-Identifier: Apache-2.0
// How a loop is dealt out.
#include "policy/deal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace {

using sennit::policy::deal;

// Catches parts that overlap, leave something out, are empty, or are smaller than is worth their while.
TEST(deal, cuts_contiguous_parts) {
  for (const std::uint64_t n : {1, 2, 3, 7, 64, 1000, 1'000'003}) {
    for (const std::uint64_t wanted : {1, 2, 3, 8, 65}) {
      for (const std::uint64_t least : {0, 1, 10, 500}) {
        for (const std::uint64_t lead : {0, 5, 1'000'000}) {
          const std::uint64_t first = 100;
          const deal parts(first, first + n, wanted, least, lead);
          ASSERT_GE(parts.parts(), 1U);
          ASSERT_LE(parts.parts(), wanted);
          std::uint64_t before = first;
          for (std::uint64_t i = 1; i <= parts.parts(); ++i) {
            const std::uint64_t begin = parts.begin_of(i);
            ASSERT_GT(begin, before) << n << " in " << wanted << ", part " << i;
            if (i > 1) {
              ASSERT_GE(begin - before, least);
            }
            before = begin;
          }
          ASSERT_EQ(before, first + n);
        }
      }
    }
  }
}

// Catches a deal that depends on more than the shape: parts would not find their data where they left it.
TEST(deal, is_the_same_for_the_same_shape) {
  const deal one(0, 1000, 4, 10, 100);
  const deal another(0, 1000, 4, 10, 100);
  for (std::uint64_t i = 1; i <= 4; ++i) EXPECT_EQ(one.begin_of(i), another.begin_of(i));
}

// Catches a lead that starves the others, and one that is not given.
TEST(deal, gives_a_lead_of_an_eighth_at_most) {
  EXPECT_EQ(deal(0, 1000, 2, 1, 100).begin_of(1), 550U);
  EXPECT_EQ(deal(0, 1000, 2, 1, 1000).begin_of(1), 563U);
  EXPECT_EQ(deal(0, 1000, 2, 1, 0).begin_of(1), 500U);
}

// Catches a deal of what is too little for anybody to come for.
TEST(deal, keeps_what_is_little) { EXPECT_EQ(deal(0, 100, 8, 60, 0).parts(), 1U); }

// Catches a strand that deals and keeps all that does not divide evenly: with 80 workers, seven times what each other has.
TEST(deal, has_no_part_more_than_an_iteration_larger) {
  for (const std::uint64_t n : {159, 200, 641, 2000}) {
    for (const std::uint64_t workers : {2, 3, 32, 80}) {
      const deal parts(0, n, workers, 1, 0);
      std::uint64_t least = n;
      std::uint64_t most = 0;
      for (std::uint64_t i = 0; i < parts.parts(); ++i) {
        const std::uint64_t size = parts.begin_of(i + 1) - parts.begin_of(i);
        least = std::min(least, size);
        most = std::max(most, size);
      }
      EXPECT_LE(most, least + 1) << n << " for " << workers;
    }
  }
}

// Catches parts that are cut for those who are about to get one, or for nobody; and a part that is never cut again.
TEST(deal, is_not_cut_while_it_is_on_its_way) {
  using namespace sennit::policy;
  EXPECT_TRUE(cuts_for_who_asked(true, never_dealt, 5000));
  EXPECT_FALSE(cuts_for_who_asked(true, 0, 5000));
  EXPECT_FALSE(cuts_for_who_asked(true, 4999, 5000));
  EXPECT_TRUE(cuts_for_who_asked(true, 5000, 5000));
  EXPECT_FALSE(cuts_for_who_asked(false, never_dealt, 5000));
}

// Catches a last chunk that all others wait for, and a serial loop in chunks.
TEST(deal, leaves_several_chunks_for_each_worker) {
  using sennit::policy::loop_sharing;
  EXPECT_EQ(loop_sharing(1), 0U);
  for (unsigned workers = 2; workers < 1100; ++workers) {
    EXPECT_GE(1U << loop_sharing(workers), 8 * workers);
    EXPECT_LT(1U << loop_sharing(workers), 16 * workers);
  }
}

// Catches groups that leave a worker out, or have one twice.
TEST(deal, has_each_waiting_worker_in_one_group) {
  using namespace sennit::policy;
  for (std::uint64_t workers = 1; workers < 1100; workers += 1 + workers / 20) {
    const std::uint64_t groups = std::min(workers, most_dealt_at_once);
    EXPECT_EQ(first_of_group(0, workers), 0U);
    EXPECT_EQ(first_of_group(groups, workers), workers);
    for (std::uint64_t g = 0; g < groups; ++g)
      ASSERT_LT(first_of_group(g, workers), first_of_group(g + 1, workers));
  }
}

// Catches sleepers that are woken for a part that is over before they come, and parts for those who have something else.
TEST(deal, along_places_is_for_who_waits_or_sleeps) {
  using sennit::policy::has_part_along_places;
  EXPECT_TRUE(has_part_along_places(true, false, 0));
  EXPECT_TRUE(has_part_along_places(false, true, sennit::policy::waking::worth_ns));
  EXPECT_FALSE(has_part_along_places(false, true, sennit::policy::waking::worth_ns - 1));
  EXPECT_FALSE(has_part_along_places(false, false, 1'000'000));
}

// Catches last iterations that go to another node, and last ones that nobody of the node gets.
TEST(deal, along_places_leaves_the_last_iteration_on_its_node) {
  using sennit::policy::leaves_its_place;
  EXPECT_FALSE(leaves_its_place(1, true));
  EXPECT_TRUE(leaves_its_place(2, true));
  EXPECT_TRUE(leaves_its_place(1, false));
  EXPECT_FALSE(leaves_its_place(0, false));
}

}  // namespace
