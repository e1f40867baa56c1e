// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "topology/cgroup.hpp"

namespace {

using sennit::topology::cgroup_cpu_quota;
using quota = std::optional<double>;

constexpr const char* unified =
    "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";
constexpr const char* legacy =
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct";

// A process in a group, with a hierarchy mounted.
class group_of : public fake_root {
 public:
  group_of(const std::string& groups, const std::string& mounts) {
    file("/proc/self/cgroup", groups);
    // A real table begins with other mounts.
    file("/proc/self/mountinfo", "22 27 0:21 / /proc rw,relatime shared:1 - proc proc rw\n" + mounts);
  }
  group_of& v2(const std::string& group, const std::string& max) {
    file("/sys/fs/cgroup" + group + "/cpu.max", max);
    return *this;
  }
  group_of& v1(const std::string& group, const std::string& quota_us,
               const std::string& period_us = "100000") {
    const std::string folder = "/sys/fs/cgroup/cpu,cpuacct" + group;
    file(folder + "/cpu.cfs_quota_us", quota_us);
    file(folder + "/cpu.cfs_period_us", period_us);
    return *this;
  }
  quota limit() const { return cgroup_cpu_quota(path()); }
};

// Would catch: a quota read as a number of CPUs, or its period ignored.
TEST(Cgroup, V2QuotaIsTheRatio) {
  EXPECT_EQ(group_of("0::/app", unified).v2("/app", "150000 100000").limit(), 1.5);
  EXPECT_EQ(group_of("0::/app", unified).v2("/app", "25000 50000").limit(), 0.5);
}

// Would catch: "max" taken for a number, or for 0.
TEST(Cgroup, V2WithoutALimit) {
  EXPECT_EQ(group_of("0::/app", unified).v2("/app", "max 100000").limit(), std::nullopt);
  EXPECT_EQ(group_of("0::/", unified).limit(), std::nullopt);  // the real root has no such file
}

// Would catch: only the process' own group read, whose limit may be wider than its parents', or not set.
TEST(Cgroup, V2TightestOfAllLevelsWins) {
  group_of middle("0::/a/b/c", unified);
  middle.v2("/a", "400000 100000").v2("/a/b", "200000 100000").v2("/a/b/c", "max 100000");
  EXPECT_EQ(middle.limit(), 2.0);
  EXPECT_EQ(middle.v2("/a/b/c", "100000 100000").limit(), 1.0);
  EXPECT_EQ(middle.v2("/a", "50000 100000").limit(), 0.5);
}

// Would catch: the top of a container's hierarchy left out, which is the container's own group.
TEST(Cgroup, V2TopOfTheMountCounts) {
  EXPECT_EQ(group_of("0::/", unified).v2("", "300000 100000").limit(), 3.0);
  EXPECT_EQ(group_of("0::/a", unified).v2("", "300000 100000").v2("/a", "max 100000").limit(), 3.0);
}

// Would catch: another group's limit taken for this process'.
TEST(Cgroup, OtherGroupsDoNotCount) {
  EXPECT_EQ(
      group_of("0::/app", unified).v2("/application", "100000 100000").v2("/ap", "100000 100000").limit(),
      std::nullopt);
}

// Would catch: v1 not supported, or its two files not combined.
TEST(Cgroup, V1QuotaIsTheRatio) {
  EXPECT_EQ(group_of("4:cpu,cpuacct:/app", legacy).v1("/app", "250000").limit(), 2.5);
  EXPECT_EQ(group_of("4:cpu,cpuacct:/app", legacy).v1("/app", "10000", "40000").limit(), 0.25);
}

// Would catch: -1 taken for a quota.
TEST(Cgroup, V1WithoutALimit) {
  EXPECT_EQ(group_of("4:cpu,cpuacct:/app", legacy).v1("/app", "-1").v1("", "-1").limit(), std::nullopt);
}

// Would catch: parents left out under v1.
TEST(Cgroup, V1TightestOfAllLevelsWins) {
  group_of nested("4:cpu,cpuacct:/a/b", legacy);
  EXPECT_EQ(nested.v1("/a/b", "-1").v1("/a", "150000").v1("", "-1").limit(), 1.5);
}

// Would catch: "cpuset" or "cpuacct" taken for "cpu" in either table.
TEST(Cgroup, V1OtherControllersDoNotCount) {
  const std::string cpuset = "34 31 0:31 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpuset";
  EXPECT_EQ(group_of("3:cpuset:/app\n2:cpuacct:/app", legacy).v1("/app", "100000").limit(), std::nullopt);
  EXPECT_EQ(group_of("4:cpu,cpuacct:/app", cpuset).v1("/app", "100000").limit(), std::nullopt);
}

// Would catch: of a machine with both hierarchies, only one looked at: either may hold the controller.
TEST(Cgroup, HybridTakesTheTighter) {
  const std::string both =
      std::string(legacy) + "\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw";
  group_of hybrid("4:cpu,cpuacct:/app\n0::/other", both);
  hybrid.v1("/app", "200000");
  EXPECT_EQ(hybrid.limit(), 2.0);
  hybrid.file("/sys/fs/cgroup/unified/other/cpu.max", "100000 100000");
  EXPECT_EQ(hybrid.limit(), 1.0);
}

// Would catch: a container whose table names its group by the host's path, and mounts just that group.
TEST(Cgroup, NamespacedPathIsCutAtTheMount) {
  const std::string bound =
      "33 31 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct";
  EXPECT_EQ(group_of("4:cpu,cpuacct:/docker/abc", bound).v1("", "50000").limit(), 0.5);
  EXPECT_EQ(group_of("4:cpu,cpuacct:/docker/abc/x", bound).v1("/x", "20000").v1("", "50000").limit(), 0.2);
  // Another container's.
  EXPECT_EQ(group_of("4:cpu,cpuacct:/docker/abcd", bound).v1("", "50000").v1("d", "50000").limit(),
            std::nullopt);
}

// Would catch: a path that leads out of the namespace followed out of the mount,
// to files that mean something else.
TEST(Cgroup, GroupsOutsideTheNamespaceAreUnknown) {
  group_of outside("0::/../other", unified);
  outside.v2("", "100000 100000").file("/sys/fs/other/cpu.max", "100000 100000");
  EXPECT_EQ(outside.limit(), std::nullopt);
}

// Would catch: a mount that shows the groups above the namespace, whose limits count, passed over.
TEST(Cgroup, MountFromAboveTheNamespaceCounts) {
  const std::string above = "29 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw";
  EXPECT_EQ(group_of("0::/app", above).v2("", "200000 100000").limit(), 2.0);
}

// Would catch: a mount point with a space, which the table escapes, not found.
TEST(Cgroup, EscapedMountPoint) {
  group_of escaped("0::/", R"(29 23 0:26 / /sys/fs/my\040groups rw - cgroup2 cgroup2 rw)");
  escaped.file("/sys/fs/my groups/cpu.max", "100000 100000");
  EXPECT_EQ(escaped.limit(), 1.0);
}

// Would catch: a crash, a division by zero or a limit made of nonsense.
TEST(Cgroup, NonsenseIsNoLimit) {
  for (const char* const max :
       {"", " ", "max", "100000", "x y", "100000 0", "0 100000", "-5 100000", "100000 -1", "100000 100000 1",
        "99999999999999999999 100000", "1e5 100000"}) {
    EXPECT_EQ(group_of("0::/app", unified).v2("/app", max).limit(), std::nullopt) << max;
  }
  for (const char* const us : {"", "x", "0", "-100000"}) {
    EXPECT_EQ(group_of("4:cpu,cpuacct:/app", legacy).v1("/app", us).limit(), std::nullopt) << us;
    EXPECT_EQ(group_of("4:cpu,cpuacct:/app", legacy).v1("/app", "100000", us).limit(), std::nullopt) << us;
  }
  for (const char* const groups : {"", "0", "0:", "::", "0::", "\n\n", "0::relative", "x:cpu"}) {
    EXPECT_EQ(group_of(groups, unified).limit(), std::nullopt) << groups;
  }
  for (const char* const mounts : {"", "-", " - cgroup2", "1 2 3 4 5 6 - cgroup2", "1 2 3 / /x rw - cgroup",
                                   "29 23 0:26 nowhere nothing rw - cgroup2 cgroup2 rw"}) {
    EXPECT_EQ(group_of("0::/app", mounts).v2("/app", "100000 100000").limit(), std::nullopt) << mounts;
  }
}

// Would catch: a system without cgroups, or without /proc, being a failure.
TEST(Cgroup, NothingToReadIsNoLimit) {
  const fake_root empty;
  EXPECT_EQ(cgroup_cpu_quota(empty.path()), std::nullopt);
  fake_root half;
  half.file("/proc/self/cgroup", "0::/app");
  EXPECT_EQ(cgroup_cpu_quota(half.path()), std::nullopt);
}

// Would catch: this machine's own tables not understood to the point of a crash, or a limit of 0.
TEST(Cgroup, ThisMachine) { EXPECT_GT(cgroup_cpu_quota().value_or(1), 0); }

}  // namespace
