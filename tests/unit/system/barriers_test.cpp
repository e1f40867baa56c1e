// Which barriers serve whom, by their number.
#include "system/barrier.hpp"

#include <gtest/gtest.h>

namespace {

using sennit::detail::barriers;

// Catches a barrier that is issued though a later one has ended, one that began before the ticket and is taken for good, and
// statistics that do not count.
TEST(barriers, serve_who_came_before_they_began) {
  if (!sennit::detail::membarrier_available()) GTEST_SKIP() << "this kernel refuses membarrier";
  barriers paid;
  paid.reaches(3);
  const barriers::ticket first = paid.now();
  EXPECT_EQ(paid.now(), first);
  EXPECT_EQ(paid.issued(), 0U);
  paid.settle(first);
  EXPECT_EQ(paid.issued(), 1U);
  EXPECT_EQ(paid.interrupts(), 3U);
  const barriers::ticket second = paid.now();
  EXPECT_EQ(second, first + 1);
  paid.settle(first);
  EXPECT_EQ(paid.issued(), 1U);
  // Another runtime's counts for this one, as it is of the process.
  barriers others;
  others.reaches(-1);
  others.settle(second);
  EXPECT_EQ(others.issued(), 1U);
  EXPECT_EQ(others.interrupts(), 0U);
  paid.settle(second);
  EXPECT_EQ(paid.issued(), 1U);
  paid.settle(paid.now());
  EXPECT_EQ(paid.issued(), 2U);
  EXPECT_EQ(paid.interrupts(), 6U);
}

}  // namespace
