// SPDX-License-Identifier: Apache-2.0
// How numbers and columns are shown: units change where they should, and rounding does not pass a unit's end.
#include "tools/sennit/measure.hpp"
#include "tools/sennit/table.hpp"

#include <gtest/gtest.h>

namespace command {
namespace {

TEST(Show, SecondsInTheUnitThatSuits) {
  EXPECT_EQ(show_seconds(123.4), "123 s");
  EXPECT_EQ(show_seconds(1.234), "1.23 s");
  EXPECT_EQ(show_seconds(0.99951), "1.00 s");
  EXPECT_EQ(show_seconds(0.9994), "999 ms");
  EXPECT_EQ(show_seconds(0.0456), "45.6 ms");
  EXPECT_EQ(show_seconds(0.0099961), "10.0 ms");
  EXPECT_EQ(show_seconds(0.000789), "789 us");
  EXPECT_EQ(show_seconds(0), "0.00 us");
}

TEST(Show, CountsInGroupsOfThree) {
  EXPECT_EQ(show_count(0), "0");
  EXPECT_EQ(show_count(999), "999");
  EXPECT_EQ(show_count(1000), "1,000");
  EXPECT_EQ(show_count(123456), "123,456");
  EXPECT_EQ(show_count(18446744073709551615u), "18,446,744,073,709,551,615");
}

TEST(Show, MemoryThatIsNotKnown) {
  EXPECT_EQ(show_bytes(0), "0 B");
  EXPECT_EQ(show_bytes(640), "640 B");
  EXPECT_EQ(show_bytes(1000), "0.98 KiB");
  EXPECT_EQ(show_bytes(1 << 20), "1 MiB");
  EXPECT_EQ(show_bytes((3 << 20) / 2), "1.5 MiB");
  EXPECT_EQ(show_bytes(123456789), "118 MiB");
  EXPECT_EQ(show_bytes(std::uint64_t{1} << 40), "1 TiB");
  EXPECT_EQ(show_mib(1.26), "1.3 MiB");
  EXPECT_EQ(show_mib({}), "unknown");
}

TEST(Table, AlignsItsColumns) {
  table t({"name", "n"}, {table::left, table::right});
  t.add({"a", "1000"});
  t.add({"longer", ""});
  EXPECT_EQ(t.str(), "name       n\n"
                     "a       1000\n"
                     "longer\n");
}

TEST(Median, OfAnOddAndAnEvenNumberOfSamples) {
  EXPECT_EQ(median(std::vector{3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median(std::vector{4.0, 1.0, 2.0, 3.0}), 2.5);
  EXPECT_EQ(median(std::vector{std::uint64_t{7}}), 7U);
}

}  // namespace
}  // namespace command
