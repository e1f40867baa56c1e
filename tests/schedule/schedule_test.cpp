// SPDX-License-Identifier: Apache-2.0
// A schedule as its users have it.
#include "trees.hpp"

#include <sennit/schedule.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

namespace sennit_test {
namespace {

using sennit::schedule;
using sennit::detail::hold;
using sennit::detail::schedule_access;
using testing::HasSubstr;

schedule of(steal_tree tree) { return schedule_access::make(hold(std::move(tree))); }

TEST(Schedule, MadeByDefaultHasEverythingOnOneWorker) {
  const schedule empty;
  EXPECT_EQ(empty.steals(), 0U);
  EXPECT_EQ(empty.workers(), 1U);
  EXPECT_EQ(empty.depth(), 0U);
  EXPECT_EQ(empty.length().count(), 0);
  EXPECT_EQ(empty.shares().size(), 1U);
  EXPECT_EQ(empty, of({}));
  EXPECT_EQ(empty.prune(100), empty);
  EXPECT_NE(schedule_access::tree(empty), nullptr);
}

TEST(Schedule, SurvivesBeingMovedFrom) {
  schedule first = of(sample(2, 2));
  const schedule second = std::move(first);
  EXPECT_EQ(first, schedule());  // NOLINT(bugprone-use-after-move)
  EXPECT_NE(second, schedule());
}

TEST(Schedule, PrunesAPercentage) {
  const schedule all = of(sample(8, 10));
  ASSERT_EQ(all.steals(), 70U);
  EXPECT_EQ(all.prune(0), all);
  EXPECT_EQ(all.prune(90).steals(), 7U);
  EXPECT_EQ(all.prune(99).steals(), 0U);
  EXPECT_EQ(all.prune(100).steals(), 0U);
  EXPECT_EQ(all.prune(100).workers(), 8U);
  EXPECT_EQ(all.prune(50).length(), all.length());
}

TEST(Schedule, RefusesOtherPercentages) {
  for (const double percent : {-1.0, 100.5, std::nan("")}) {
    try {
      schedule().prune(percent);
      FAIL() << percent;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("from 0 to 100"));
    }
  }
}

TEST(Schedule, SaysItInWords) {
  const steal_tree tree{
      3,
      2000,
      {waited(taken(node(kind::fork, 3, {taken(node(kind::child, 1), {2, 0})}), {1, 0}, {100, 1900}), {1, 1},
              {1500, 1900}),
       loop(4, 80, {taken(node(kind::fork, 0), {2, 1})})}};
  EXPECT_EQ(
      of(tree).text(),
      "3 workers, 3 steals, 2 levels, 2.0 us\n"
      "fork 3: right branch by worker 1 (event 0), 0.1 to 1.9 us; end waits, then worker 1 (event 1), 1.5 to "
      "1.9 us\n"
      "  child 1: by worker 2 (event 0)\n"
      "loop 4 of 80\n"
      "  fork 0: right branch by worker 2 (event 1)\n");
  EXPECT_EQ(schedule().text(), "1 worker, 0 steals, 0 levels\n");
}

}  // namespace
}  // namespace sennit_test
