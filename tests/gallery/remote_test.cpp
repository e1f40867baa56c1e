// SPDX-License-Identifier: Apache-2.0
// Schedules keep workers on the data that they wrote: counted on a virtual machine of eight NUMA nodes.
#include "gallery/remote.hpp"
#include "topology/hwloc.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace gallery {
namespace {

constexpr unsigned nodes = 8;
// A recorded loop has at most 256 leaves. So busy as the machine may be, blocks that border on another worker's are few: each of
// 255 borders is two accesses of three a block, 1.04 %.
constexpr std::size_t blocks = 16384;
constexpr std::size_t width = 512;

class Remote : public testing::Test {
 protected:
  void SetUp() override {
    if (sennit::topology::hwloc_version().empty()) GTEST_SKIP() << "built without hwloc";
    setenv("SENNIT_WORKERS", "8", 1);
    setenv("SENNIT_TOPOLOGY", "synthetic:numa:8 core:1 pu:1", 1);
  }
};

// With caches that hold everything.
double miss_share(const remote_result& result) {
  const stencil_shape plate{.row_bytes = width * sizeof(float), .rows = 1, .blocks = blocks};
  return misses_of_stencil(result.steps, plate, {.bytes = std::size_t{64} << 20}, nodes).share();
}

remote_result count(remote_way way) { return remote_share_of_heat(way, width, blocks, 1, 10, nodes); }

// Catches: a schedule that some step does not follow, or follows with other workers.
TEST_F(Remote, OnlyBordersAreIfTheUserDealsOutBlocks) {
  const remote_result dealt = count(remote_way::blocks);
  EXPECT_TRUE(dealt.right);
  EXPECT_EQ(dealt.nodes_at_work, nodes);
  EXPECT_DOUBLE_EQ(dealt.share, 2.0 * (nodes - 1) / (3 * blocks - 2));
  EXPECT_DOUBLE_EQ(miss_share(dealt), 2.0 * (nodes - 1) / (4 * blocks - 2));
}

// Catches: a program that designates its workers, and others come.
TEST_F(Remote, OnlyBordersAreIfTheProgramDesignatesWorkers) {
  const remote_result designed = count(remote_way::designed);
  EXPECT_TRUE(designed.right);
  EXPECT_EQ(designed.nodes_at_work, nodes);
  EXPECT_DOUBLE_EQ(designed.share, 2.0 * (nodes - 1) / (3 * blocks - 2));
}

// Catches: blocks that go elsewhere in an ordered replay than where they were recorded.
TEST_F(Remote, FewAreInTheOrderOfTheInitialization) {
  const remote_result ordered = count(remote_way::ordered);
  EXPECT_TRUE(ordered.right);
  EXPECT_LE(ordered.share, 0.05);
  EXPECT_LE(miss_share(ordered), 0.05);
}

// Catches: data that does not follow the schedule, schedules that get worse while they are refined.
TEST_F(Remote, FewAreOnceTheScheduleIsRefined) {
  const remote_result refined = count(remote_way::refine);
  EXPECT_TRUE(refined.right);
  EXPECT_LE(refined.share, 0.02);
  EXPECT_LE(miss_share(refined), 0.02);
}

}  // namespace
}  // namespace gallery
