// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "system/text.hpp"

#include <gmock/gmock.h>

namespace {

using namespace sennit::text;
using testing::ElementsAre;

// Would catch: the end of a range left out, or a list of one CPU not read.
TEST(Text, ReadsListsAsTheKernelWritesThem) {
  EXPECT_THAT(parse_list("0").value(), ElementsAre(0U));
  EXPECT_THAT(parse_list("0-3,8,10-11").value(), ElementsAre(0U, 1U, 2U, 3U, 8U, 10U, 11U));
}

// Would catch: a list that is none taken for CPUs, and one that would fill the memory.
TEST(Text, RefusesWhatIsNoList) {
  for (const char* const text : {"", "a", "1-", "-1", "3-1", "1,,2", "0 1", "0-4294967295"}) {
    EXPECT_FALSE(parse_list(text)) << text;
  }
}

// Would catch: a file longer than one block cut off; those of /proc say that their size is 0.
TEST(Text, ReadsAllOfAFile) {
  fake_root root;
  const std::string text(10000, 'x');
  root.file("/long", text);
  EXPECT_EQ(read_text(root.path() + "/long"), text);
  EXPECT_TRUE(read_text("/proc/self/mountinfo"));
}

// Would catch: a failure to read taken for an empty file.
TEST(Text, SaysWhatItCannotRead) {
  EXPECT_FALSE(read_text("/proc/self/no such file"));
  EXPECT_FALSE(read_text("/proc/self"));
}

}  // namespace
