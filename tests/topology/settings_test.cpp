// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <sennit/runtime.hpp>

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Would catch: a bad value taken for another or for the default, and a message that leaves the user to guess
// which variable it is about, what it was, or what it may be.
TEST(Settings, BadValuesAreRefusedByNameWithARemedy) {
  const struct {
    const char* variable;
    std::vector<std::string> values;
    const char* remedy;
  } cases[] = {
      {"SENNIT_WORKERS", {"0", "abc", "-1", "99999", "2 ", "1.5"}, "a whole number from 1 to"},
      {"SENNIT_STACK", {"10", "8 MB", "M", "-1M", "99999999999999999999G"}, "a size from 64K"},
      {"SENNIT_PIN", {"foo", "Core"}, "automatic, none, node or core"},
      {"SENNIT_BARRIER", {"none"}, "automatic, membarrier or fence"},
      {"SENNIT_CHECK", {"yes"}, "0"},
      {"SENNIT_BEAT_SIGNAL", {"9", "SIGURG"}, "or URG"},
      {"SENNIT_TOPOLOGY", {"numa:2 core:4", "synthetic"}, "synthetic:pack:2"},
  };
  for (const auto& [variable, values, remedy] : cases) {
    for (const std::string& value : values) {
      const set_variable set(variable, value);
      EXPECT_THAT([] { sennit::runtime runtime; },
                  ThrowsMessage<std::invalid_argument>(
                      AllOf(HasSubstr(variable), HasSubstr('"' + value + '"'), HasSubstr(remedy))))
          << variable << "=" << value;
    }
  }
}

// Would catch: a variable that is set but empty, as scripts leave them, taken for a bad value.
TEST(Settings, EmptyCountsAsNotSet) {
  for (const char* const name : {"SENNIT_WORKERS", "SENNIT_STACK", "SENNIT_PIN", "SENNIT_BARRIER",
                                 "SENNIT_CHECK", "SENNIT_TOPOLOGY"}) {
    const set_variable set(name, "");
    EXPECT_NO_THROW(sennit::runtime()) << name;
  }
}

// Would catch: a variable that beats what the program asks for.
TEST(Settings, OptionsBeatVariables) {
  const set_variable set("SENNIT_WORKERS", "abc");
  EXPECT_EQ(sennit::runtime({.workers = 3}).workers(), 3U);
}

// Would catch: good values refused.
TEST(Settings, TakesGoodValues) {
  const set_variable workers_set("SENNIT_WORKERS", "3");
  const set_variable stack("SENNIT_STACK", "64K");
  const set_variable pin("SENNIT_PIN", "none");
  const set_variable barrier("SENNIT_BARRIER", "fence");
  EXPECT_EQ(sennit::runtime().workers(), 3U);
  EXPECT_EQ(sennit::runtime().barrier(), sennit::steal_barrier::fence);
}

}  // namespace
