// SPDX-License-Identifier: Apache-2.0
#include "doctor/doctor.hpp"
#include "support.hpp"

#include <sennit/doctor.hpp>

#include <gmock/gmock.h>

#include <algorithm>

namespace {

using sennit::doctor_line;
using severity = doctor_line::severity;
using sennit::detail::examine;
using testing::HasSubstr;

doctor_line line(const std::vector<doctor_line>& lines, const std::string& topic) {
  const auto at =
      std::find_if(lines.begin(), lines.end(), [&](const doctor_line& l) { return l.topic == topic; });
  if (at != lines.end()) return *at;
  ADD_FAILURE() << "no line about " << topic;
  return {};
}

// Would catch: a topic left out, a finding without words, or something missing without a remedy.
TEST(Doctor, SaysSomethingOfEachTopic) {
  const auto lines = sennit::doctor();
  for (const char* const topic : {"CPUs", "CPU quota", "workers", "places", "hwloc", "binding", "membarrier",
                                  "stack", "overcommit", "huge pages", "clock"}) {
    line(lines, topic);
  }
  for (const doctor_line& l : lines) {
    EXPECT_FALSE(l.topic.empty());
    EXPECT_FALSE(l.finding.empty()) << l.topic;
    EXPECT_TRUE(l.verdict != severity::missing || !l.remedy.empty()) << l.topic;
  }
}

// Would catch: a system of which nothing can be read being a failure.
TEST(Doctor, FindsThatNothingCanBeRead) {
  const fake_root empty;
  const auto lines = examine(empty.path());
  EXPECT_EQ(line(lines, "huge pages").verdict, severity::note);
  EXPECT_EQ(line(lines, "clock").verdict, severity::note);
  EXPECT_EQ(line(lines, "CPU quota").verdict, severity::good);
}

// Would catch: a setting that costs the user something called good.
TEST(Doctor, FindsWhatIsAmiss) {
  fake_root root;
  root.file("/proc/self/cgroup", "0::/");
  root.file("/proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  root.file("/sys/fs/cgroup/cpu.max", "50000 100000");
  root.file("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]");
  root.file("/proc/sys/vm/overcommit_memory", "2");
  root.file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet");
  root.file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
  const auto lines = examine(root.path());
  EXPECT_THAT(line(lines, "CPU quota").finding, HasSubstr("0.5 CPU"));
  EXPECT_EQ(line(lines, "CPU quota").verdict, severity::note);
  EXPECT_THAT(line(lines, "workers").finding, HasSubstr("1 by default"));
  EXPECT_EQ(line(lines, "huge pages").verdict, severity::missing);
  EXPECT_THAT(line(lines, "overcommit").remedy, HasSubstr("SENNIT_STACK"));
  EXPECT_EQ(line(lines, "clock").verdict, severity::note);
  EXPECT_EQ(line(lines, "CPU frequency").verdict, severity::note);
}

// Would catch: the bracket ignored, so that every kernel that could switch them off seems to have done so.
TEST(Doctor, ReadsTheModeInForce) {
  fake_root root;
  root.file("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
  EXPECT_THAT(line(examine(root.path()), "huge pages").finding, HasSubstr("always"));
}

// Would catch: a misspelled variable, which the library cannot see, not seen by the doctor either.
TEST(Doctor, NamesTheVariableThatIsMeant) {
  const set_variable typo("SENNIT_WORKER", "3");
  const set_variable invented("SENNIT_PRIORITY_BOOST", "9");
  const auto lines = sennit::doctor();
  EXPECT_EQ(line(lines, "SENNIT_WORKER").verdict, severity::note);
  EXPECT_EQ(line(lines, "SENNIT_WORKER").remedy, "did you mean SENNIT_WORKERS?");
  EXPECT_THAT(line(lines, "SENNIT_PRIORITY_BOOST").remedy, HasSubstr("SENNIT_TOPOLOGY"));
}

// Would catch: a bad value thrown at the one who asks what is wrong, hidden by another bad one,
// or laid to another variable.
TEST(Doctor, FindsEachBadValue) {
  const set_variable workers("SENNIT_WORKERS", "0");
  const set_variable stack("SENNIT_STACK", "1G");
  const set_variable pin("SENNIT_PIN", "foo");
  const set_variable topology("SENNIT_TOPOLOGY", "numa:2");
  const set_variable promotion("SENNIT_PROMOTION", "hourly");
  const set_variable beat("SENNIT_BEAT", "often");
  const set_variable share("SENNIT_BEAT_SHARE", "5%");
  const set_variable check("SENNIT_CHECK", "maybe");
  const auto lines = sennit::doctor();
  for (const char* const bad : {"SENNIT_WORKERS", "SENNIT_PIN", "SENNIT_TOPOLOGY", "SENNIT_PROMOTION",
                                "SENNIT_CHECK", "SENNIT_BEAT", "SENNIT_BEAT_SHARE"}) {
    EXPECT_EQ(line(lines, bad).verdict, severity::missing) << bad;
    EXPECT_THAT(line(lines, bad).remedy, HasSubstr("must be")) << bad;
  }
  EXPECT_THAT(line(lines, "SENNIT_PIN").finding, HasSubstr("foo"));
  EXPECT_EQ(line(lines, "SENNIT_STACK").verdict, severity::good);
}

// Would catch: a variable that is set but empty, which counts as not set, complained of.
TEST(Doctor, LeavesEmptyVariablesOut) {
  const set_variable empty("SENNIT_WORKERS", "");
  for (const doctor_line& l : sennit::doctor()) EXPECT_NE(l.topic, "SENNIT_WORKERS");
}

}  // namespace
