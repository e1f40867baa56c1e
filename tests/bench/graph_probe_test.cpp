// SPDX-License-Identifier: Apache-2.0
// What the graph kernels' probe tells: the bound is the longest chain or an equal part of the work, and each worker has a first
// node or none. Nodes sleep, so that other programs on the machine make little difference.
#include "gallery/graphs.hpp"
#include "graph-kernels/probe.hpp"

#include <sennit/graph.hpp>
#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <ranges>
#include <string>
#include <thread>

namespace graph_kernels {
namespace {

using key = std::array<std::uint32_t, 1>;
constexpr auto nap = std::chrono::milliseconds(10);
constexpr std::uint32_t naps = 12;

// Nodes 0 to `naps` - 1 sleep, each after the one before it or after none; the last node needs all of them and does nothing.
auto sleepers(bool chained) {
  const auto predecessors = [chained](key k) {
    const std::uint32_t from = k[0] == naps || !chained || k[0] == 0 ? 0 : k[0] - 1;
    const std::uint32_t to = k[0] == naps || chained ? k[0] : 0;
    return std::views::iota(from, to) | std::views::transform([](std::uint32_t p) { return key{p}; });
  };
  const auto compute = [](key k) {
    if (k[0] < naps) std::this_thread::sleep_for(nap);
  };
  const auto owner = [](key, unsigned) { return 0U; };
  return gallery::task_graph<key, decltype(predecessors), decltype(compute), decltype(owner)>{
      sennit::graph::dense<1>(naps + 1), key{naps}, predecessors, compute, owner};
}

std::map<std::string, double> figures_of(bool chained, unsigned workers) {
  sennit::runtime runtime({.workers = workers});
  probe seen(workers);
  const gallery::color_choice colors{.colors = "none"};
  seen.all_nodes(sleepers(chained), [&](const auto& graph) {
    runtime.run([&] { gallery::run_graph<sennit::parallel>(graph, colors); });
  });
  std::map<std::string, double> all;
  for (const auto& [name, value] : seen.figures()) all[name] = value;
  return all;
}

// Catches: a bound of work for each worker only, four times too low for a chain; a node's time added to none or to two chains.
TEST(GraphProbe, BoundsAChainByItsLength) {
  const auto figures = figures_of(true, 4);
  EXPECT_GE(figures.at("over_bound"), 1);
  EXPECT_LT(figures.at("over_bound"), 1.5);
  EXPECT_GT(figures.at("idle_share"), 0.7);
}

// Catches: a chain that goes through nodes which do not need each other; the work not divided among the workers.
TEST(GraphProbe, BoundsIndependentNodesByTheirSum) {
  const auto alone = figures_of(false, 1);
  EXPECT_GE(alone.at("over_bound"), 1);
  EXPECT_LT(alone.at("over_bound"), 1.2);
  EXPECT_LT(alone.at("idle_share"), 0.2);
  const auto together = figures_of(false, 3);
  EXPECT_GE(together.at("over_bound"), 1);
  EXPECT_LT(together.at("over_bound"), 3);
}

// Catches: workers that came to no node left out of the mean; a first node that is the run's latest; times of an earlier run.
TEST(GraphProbe, CountsWorkersThatCameToNoNodeWithTheWholeRun) {
  const auto figures = figures_of(true, 8);
  const double run = 1e6 * naps * std::chrono::duration<double>(nap).count();
  EXPECT_GE(figures.at("us_to_first_work_last"), run);
  EXPECT_GT(figures.at("us_to_first_work"), run / 2);
  const auto alone = figures_of(true, 1);
  EXPECT_EQ(alone.at("us_to_first_work"), alone.at("us_to_first_work_last"));
  EXPECT_LT(alone.at("us_to_first_work"), run / 2);
}

}  // namespace
}  // namespace graph_kernels
