// SPDX-License-Identifier: Apache-2.0
// When the submitting strand of a task flow runs tasks at once.
#include "policy/small_tasks.hpp"

#include <gtest/gtest.h>

namespace {

using sennit::policy::small_tasks;

// Catches: tasks that are run at once although they are worth a submission.
TEST(small_tasks, are_smaller_than_a_submission) {
  const small_tasks fresh;
  EXPECT_TRUE(fresh.may_begin(0));
  EXPECT_TRUE(fresh.may_begin(small_tasks::ns_of_a_submission - 1));
  EXPECT_FALSE(fresh.may_begin(small_tasks::ns_of_a_submission));
}

// Catches: long tasks among small ones that are run at once again and again, so that other workers wait.
TEST(small_tasks, cost_no_more_than_they_spare) {
  small_tasks tasks;
  EXPECT_FALSE(tasks.goes_on(1'000'000));
  EXPECT_FALSE(tasks.may_begin(50));
  // As many small ones as spare the time.
  for (int i = 0; i < 4000; ++i) EXPECT_TRUE(tasks.goes_on(50));
  EXPECT_TRUE(tasks.may_begin(50));
  EXPECT_FALSE(tasks.goes_on(1'000'000));
  EXPECT_FALSE(tasks.may_begin(50));
}

// Catches: one task that a busy machine delayed, after which nothing is run at once any more.
TEST(small_tasks, forgive_a_little) {
  small_tasks tasks;
  EXPECT_FALSE(tasks.goes_on(small_tasks::ns_of_grace));
  EXPECT_TRUE(tasks.may_begin(50));
  EXPECT_FALSE(tasks.goes_on(small_tasks::ns_of_grace));
  EXPECT_FALSE(tasks.may_begin(50));
}

}  // namespace
