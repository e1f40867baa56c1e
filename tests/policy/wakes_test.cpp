// SPDX-License-Identifier: Apache-2.0
// Who is woken, in numbers.
#include "policy/wakes.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace sennit::policy;

// Catches two wakes for one push, a push that nobody is told of, and a watcher that sleeps on beside it.
TEST(wakes, one_at_a_time) {
  EXPECT_EQ(who_is_called(false, false), called::latest_sleeper);
  EXPECT_EQ(who_is_called(true, false), called::nobody);
  EXPECT_EQ(who_is_called(true, true), called::watcher);
}

// Catches a tree that is a chain, or a worker that pays for all others: after n wakes in a row, 2^(n+1) - 1 workers are awake.
TEST(wakes, spread_as_a_tree) {
  unsigned awake = 1;
  unsigned latest = 1;
  unsigned levels = 0;
  while (awake < 1024) {
    latest *= wakes_each;
    awake += latest;
    ++levels;
  }
  EXPECT_LE(levels, 10U);
}

// Catches wakes beyond the work, and a loop that counts as work for one.
TEST(wakes, are_as_many_as_there_is_work_for) {
  EXPECT_EQ(workers_for(0, false, 2), 0U);
  EXPECT_EQ(workers_for(1, false, 2), 1U);
  EXPECT_EQ(workers_for(9, false, 2), 2U);
  EXPECT_EQ(workers_for(1, true, 2), 2U);
  EXPECT_FALSE(wakes_more(false, false));
  EXPECT_FALSE(wakes_more(true, true));
  EXPECT_TRUE(wakes_more(true, false));
}

// Catches a deque that is left out or looked at twice, and a source that is a seat no longer.
TEST(wakes, look_at_each_deque_once_and_at_the_source_first) {
  for (const unsigned count : {1U, 2U, 5U, 64U}) {
    for (unsigned source = 0; source < count + 3; ++source) {
      std::set<unsigned> seen;
      for (unsigned i = 0; i < count; ++i) seen.insert(looks_for_others_at(i, source, count));
      EXPECT_EQ(seen.size(), count);
      EXPECT_EQ(*seen.rbegin(), count - 1);
      EXPECT_EQ(looks_for_others_at(0, source, count), source < count ? source : 0);
    }
  }
}

}  // namespace
