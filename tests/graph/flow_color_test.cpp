// SPDX-License-Identifier: Apache-2.0
// Task flows on several NUMA nodes: tasks run where what they write lies, and all of them run.
#include "graph/flow_colors.hpp"
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/runtime.hpp>
#include <sennit/task_flow.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit_test {
namespace {

using graph::task_flow;
using sennit::memory_range;

constexpr std::size_t blocks = 200;
constexpr std::size_t cells = 64;
std::vector<std::uint64_t> data(blocks* cells);

// The first half of the blocks lies on node 0, the other on node 1.
int node_of_test(std::uintptr_t address) {
  const auto block = (address - reinterpret_cast<std::uintptr_t>(data.data())) / (cells * sizeof(data[0]));
  return block < blocks / 2 ? 0 : 1;
}
int no_node(std::uintptr_t) { return -1; }
int foreign_node(std::uintptr_t) { return 77; }

// Several rounds over all blocks. Returns how many tasks ran on the node of their block.
std::size_t at_home(std::chrono::microseconds each) {
  std::atomic<std::size_t> home{0};
  std::fill(data.begin(), data.end(), 0);
  task_flow flow;
  for (int round = 0; round < 4; ++round) {
    for (std::size_t b = 0; b < blocks; ++b) {
      flow.submit(sennit::writes(memory_range(&data[b * cells], cells)), [&home, b, each] {
        const auto begun = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - begun < each) {
        }
        for (std::size_t i = 0; i < cells; ++i) ++data[b * cells + i];
        if (graph::color_here(graph::places::nodes) == (b < blocks / 2 ? 0U : 1U)) ++home;
      });
    }
  }
  flow.wait();
  for (const std::uint64_t d : data) EXPECT_EQ(d, 4U);
  return home;
}

// Catches: tasks that are posted and forgotten; colors that nobody follows, or that no worker has.
TEST(flow_colors, run_tasks_where_their_data_lies) {
  sennit::runtime rt({.workers = 2, .topology = "synthetic:numa:2 core:1 pu:1"});
  rt.run([] {
    if (graph::color_count(graph::places::nodes) != 2) GTEST_SKIP() << "no machine of two nodes";
    using std::chrono::microseconds;
    for (const auto of : {&node_of_test, &no_node, &foreign_node}) {
      sennit::detail::asks_for_node = of;
      for (const int us : {0, 1, 20}) static_cast<void>(at_home(microseconds(us)));
    }
    sennit::detail::asks_for_node = &node_of_test;
    // A worker that is off its CPU leaves its tasks to the other: then once more.
    std::size_t best = 0;
    for (int i = 0; i < 50 && best < blocks * 4 * 7 / 10; ++i)
      best = std::max(best, at_home(microseconds(50)));
    EXPECT_GE(best, blocks * 4 * 7 / 10);
    sennit::detail::asks_for_node = nullptr;
  });
}

}  // namespace
}  // namespace sennit_test
