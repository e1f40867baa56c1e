// SPDX-License-Identifier: Apache-2.0
// Which barriers serve whom, by their number.
#include "system/barrier.hpp"

#include <gtest/gtest.h>

namespace {

using sennit::detail::barriers;

// Catches a barrier that is issued though a later one has ended, one that began before the ticket and is taken for good, and
// statistics that do not count.
TEST(barriers, serve_who_came_before_they_began) {
  if (!sennit::detail::membarrier_available()) GTEST_SKIP() << "this kernel refuses membarrier";
  barriers shared;
  shared.reaches(3);
  const barriers::ticket first = shared.now();
  EXPECT_EQ(shared.now(), first);
  EXPECT_EQ(shared.issued(), 0U);
  shared.settle(first);
  EXPECT_EQ(shared.issued(), 1U);
  EXPECT_EQ(shared.interrupts(), 3U);
  const barriers::ticket second = shared.now();
  EXPECT_EQ(second, first + 1);
  shared.settle(first);
  EXPECT_EQ(shared.issued(), 1U);
  // Another runtime's counts for this one, as it is of the process.
  barriers others;
  others.reaches(-1);
  others.settle(second);
  EXPECT_EQ(others.issued(), 1U);
  EXPECT_EQ(others.interrupts(), 0U);
  shared.settle(second);
  EXPECT_EQ(shared.issued(), 1U);
  shared.settle(shared.now());
  EXPECT_EQ(shared.issued(), 2U);
  EXPECT_EQ(shared.interrupts(), 6U);
}

}  // namespace
