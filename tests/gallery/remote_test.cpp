// Schedules keep workers on the data that they wrote: counted on a virtual machine of eight NUMA nodes.
#include "gallery/remote.hpp"
#include "topology/hwloc.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace gallery {
namespace {

constexpr unsigned nodes = 8;
// A recorded loop has at most 256 leaves. So busy as the machine may be, blocks that border on another worker's are few.
constexpr std::size_t blocks = 8192;

class Remote : public testing::Test {
 protected:
  void SetUp() override {
    if (sennit::topology::hwloc_version().empty()) GTEST_SKIP() << "built without hwloc";
    setenv("SENNIT_WORKERS", "8", 1);
    setenv("SENNIT_TOPOLOGY", "synthetic:numa:8 core:1 pu:1", 1);
  }
};

remote_result count(remote_way way) { return remote_share_of_heat(way, 512, blocks, 1, 10, nodes); }

// Catches: a schedule that some step does not follow, or follows with other workers.
TEST_F(Remote, OnlyBordersAreIfTheUserDealsOutBlocks) {
  const auto [share, nodes_at_work, right] = count(remote_way::blocks);
  EXPECT_TRUE(right);
  EXPECT_EQ(nodes_at_work, nodes);
  EXPECT_DOUBLE_EQ(share, 2.0 * (nodes - 1) / (3 * blocks - 2));
}

// Catches: data that does not follow the schedule, schedules that get worse while they are refined.
TEST_F(Remote, FewAreOnceTheScheduleIsRefined) {
  const remote_result refined = count(remote_way::refine);
  EXPECT_TRUE(refined.right);
  EXPECT_LE(refined.share, 0.02);
}

}  // namespace
}  // namespace gallery
