// SPDX-License-Identifier: Apache-2.0
// SENNIT_TRACE: what is written of graphs, whose nodes come after others.
#include "trace_support.hpp"

#include <sennit/sennit.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace process {
namespace {

// The nodes of the trace's graphs by their graphs and numbers; none ends before one begins that it comes after.
std::map<std::uint64_t, std::map<std::uint64_t, json>> nodes_of_graphs(const json& trace) {
  constexpr double rounding = 0.0025;
  std::map<std::uint64_t, std::map<std::uint64_t, json>> nodes;
  for (const json& e : of_kind(trace, "node")) {
    const json& args = e["args"];
    EXPECT_TRUE(nodes[args["in"].get<std::uint64_t>()].emplace(args["node"].get<std::uint64_t>(), e).second)
        << e;
  }
  for (const auto& [graph, all] : nodes) {
    for (const auto& [number, e] : all) {
      for (const json& before : e["args"].value("after", json::array()))
        EXPECT_LE(begin_of(all.at(before.get<std::uint64_t>())), end_of(e) + rounding) << e;
      for (const json& then : e["args"].value("then", json::array()))
        EXPECT_LE(begin_of(e), end_of(all.at(then.get<std::uint64_t>())) + rounding) << e;
    }
  }
  return nodes;
}

constexpr int rows = 6;  // of a square, in which nodes come after those above and to the left

void run_squares() {
  using cell = std::array<int, 2>;
  const auto before = [](cell c) {
    std::vector<cell> cells;
    if (c[0] > 0) cells.push_back({c[0] - 1, c[1]});
    if (c[1] > 0) cells.push_back({c[0], c[1] - 1});
    return cells;
  };
  const cell last{rows - 1, rows - 1};
  const auto spend = [](cell) { busy_for(200us); };
  const auto count = [](cell c, auto& node) -> long {
    busy_for(200us);
    long ways = c == cell{0, 0} ? 1 : 0;
    for (const cell& p : node.predecessors()) ways += node.value(p);
    return ways;
  };
  sennit::graph::run(last, sennit::graph::nodes{.predecessors = before, .compute = spend});
  EXPECT_EQ(sennit::graph::run(last, sennit::graph::nodes{.predecessors = before, .compute = count}), 252);
  sennit::graph::run(
      last, sennit::graph::nodes{.predecessors = before, .compute = spend, .color = [](cell) { return 0; }});
  sennit::graph::static_graph fixed;
  sennit::graph::task_graph tasks;
  std::vector<sennit::graph::task<>> all;
  fixed.add(rows * rows);
  for (std::uint32_t i = 0; i < rows * rows; ++i) {
    all.push_back(tasks.add([] { busy_for(200us); }).name("task " + std::to_string(i)));
    if (i >= rows) {
      fixed.edge(i - rows, i);
      all[i - rows].before(all[i]);
    }
    if (i % rows != 0) {
      fixed.edge(i - 1, i);
      all[i - 1].before(all[i]);
    }
  }
  fixed.run([](std::uint32_t) { busy_for(200us); });
  tasks.run();
  all[0].priority(1);
  tasks.run();
}

class TracedGraphs : public testing::TestWithParam<int> {};

TEST_P(TracedGraphs, TellsNodesOfGraphs) {
  // Catches: graphs of a kind whose nodes are not told, nodes that are told twice or with others' predecessors, a graph that one
  // worker runs alone because it is traced.
  const trace_path file;
  EXPECT_THAT(traced(file, GetParam(), run_squares), ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  const auto graphs = nodes_of_graphs(trace);
  EXPECT_EQ(graphs.size(), 6);
  std::set<int> workers;
  std::set<std::string> names;
  for (const auto& [graph, nodes] : graphs) {
    EXPECT_EQ(nodes.size(), rows * rows);
    std::size_t edges = 0;
    for (const auto& [number, e] : nodes) {
      edges += e["args"].value("after", json::array()).size() + e["args"].value("then", json::array()).size();
      workers.insert(e["tid"].get<int>());
      names.insert(e["name"].get<std::string>());
      EXPECT_GE(e["dur"].get<double>(), 200) << e;
    }
    EXPECT_EQ(edges, 2 * rows * (rows - 1));
  }
  EXPECT_TRUE(names.contains("(2, 3)") && names.contains("task 7"));
  EXPECT_EQ(workers.size() > 1, GetParam() > 1);
}

TEST_P(TracedGraphs, TellsTasksOfFlows) {
  // Catches: tasks that run one after the other because they are traced, tasks with others' effects or predecessors, constructs in
  // them that are said to be in another body, a loop in a task that is lost.
  const trace_path file;
  EXPECT_THAT(traced(file, GetParam(),
                     [] {
                       std::vector<double> blocks(8 * 1000, 1);
                       const auto block = [&](int i) {
                         return sennit::memory_range(blocks.data(), sennit::range(i * 1000, (i + 1) * 1000));
                       };
                       sennit::region().run([&] {
                         sennit::graph::task_flow flow;
                         for (int i = 0; i < 8; ++i)
                           flow.submit(sennit::writes(block(i)), [] { busy_for(2ms); }, {.name = "fill"});
                         for (int i = 1; i < 8; ++i) {
                           flow.submit({sennit::reads(block(i - 1)), sennit::writes(block(i))},
                                       [] { sennit::parallel_for(0, 4, [](int) { busy_for(200us); }); },
                                       {.name = "add"});
                         }
                         flow.wait();
                       });
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  const auto flows = nodes_of_graphs(trace);
  ASSERT_EQ(flows.size(), 1U);
  const auto& tasks = flows.begin()->second;
  ASSERT_EQ(tasks.size(), 15U);
  std::set<int> workers;
  std::set<std::uint64_t> ids;
  for (const auto& [number, task] : tasks) {
    const json& args = task["args"];
    workers.insert(task["tid"].get<int>());
    ids.insert(args["id"].get<std::uint64_t>());
    EXPECT_EQ(task["name"], number <= 8 ? "fill" : "add");
    EXPECT_EQ(args["writes"].size(), 1U);
    EXPECT_EQ(args["writes"][0][1], 8000);
    if (number <= 8) continue;
    EXPECT_EQ(args["reads"][0], tasks.at(number - 8)["args"]["writes"][0]) << task;
    const std::vector<std::uint64_t> before = args["after"];
    EXPECT_THAT(before, testing::IsSupersetOf({number - 7, number == 9 ? 1 : number - 1})) << task;
  }
  EXPECT_EQ(workers.size() > 1, GetParam() > 1);
  std::size_t loops = 0;
  for (const json& loop : of_kind(trace, "loop"))
    loops += ids.contains(loop["args"]["in"].get<std::uint64_t>());
  EXPECT_EQ(loops, 7U);
}
INSTANTIATE_TEST_SUITE_P(Workers, TracedGraphs, testing::Values(1, 2, 4, 8));

TEST(Trace, TellsTheFirstOfBriefNodes) {
  // Catches: a trace that grows with the number of brief nodes, and one that tells them in each run.
  const trace_path file;
  EXPECT_THAT(traced(file, 2,
                     [] {
                       sennit::graph::static_graph chain;
                       chain.add(100'000);
                       for (std::uint32_t i = 1; i < 100'000; ++i) chain.edge(i - 1, i);
                       for (int run = 0; run < 3; ++run) chain.run([](std::uint32_t) {});
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  const std::vector<json> graphs = of_kind(trace, "graph");
  ASSERT_EQ(graphs.size(), 3);
  EXPECT_TRUE(graphs[0]["args"].contains("until"));
  const std::size_t told = of_kind(trace, "node").size();
  EXPECT_EQ(told, graphs[0]["args"]["nodes"].get<std::size_t>());
  EXPECT_GT(told, 1000);
  EXPECT_LT(told, 10'000);
}

}  // namespace
}  // namespace process
