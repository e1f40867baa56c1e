// SPDX-License-Identifier: Apache-2.0
// graph::nodes::priority: which of the nodes that are ready begin first.
#include "support.hpp"

#include <sennit/graph_trace.hpp>
#include <sennit/longest_paths.hpp>
#include <sennit/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

// The objects of a build, and the program that they are linked to.
std::vector<std::string> before(const std::string& file) {
  if (file == "program") return {"parser.o", "main.o", "tables.o"};
  if (file == "tables.o") return {"tables.cpp"};
  return {};
}
int urgency(const std::string& file) { return file == "tables.cpp" ? 9 : file == "main.o" ? 2 : 1; }

// Catches: a node that is computed before a one of higher priority has been found, though both need nothing.
TEST(graph_priority, one_worker_builds_the_critical_path_first) {
  sennit::runtime rt(1);
  std::vector<std::string> order;
  rt.run([&] {
    graph::run("program", graph::nodes{.predecessors = before,
                                       .compute = [&](const std::string& file) { order.push_back(file); },
                                       .priority = urgency});
  });
  EXPECT_EQ(order, (std::vector<std::string>{"tables.cpp", "main.o", "tables.o", "parser.o", "program"}));
}

// Catches: paths that are measured from the wrong end, or in nodes in place of time; a key that the trace does not have. How long
// nodes took is taken from the trace, so that a busy machine changes nothing.
TEST(graph_priority, follows_the_longest_paths_of_a_run) {
  sennit::runtime rt(1);
  // The sink is 0. 1, 2, 3 are a chain.
  const auto needs = [](int k) {
    if (k == 0) return std::vector<int>{5, 9, 3, 6};
    return k == 2 || k == 3 ? std::vector<int>{k - 1} : std::vector<int>{};
  };
  graph::trace seen;
  std::vector<int> order;
  const auto compute = [&](int k) {
    order.push_back(k);
    const int milliseconds = k == 9 ? 3 : k >= 1 && k <= 3 ? 2 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  };
  rt.run([&] {
    graph::run(0, graph::nodes{.predecessors = needs, .compute = compute, .trace = &seen});
    const graph::longest_paths paths(seen);
    const auto time_of = [&](int k) {
      for (const graph::trace::node& n : seen.nodes()) {
        if (n.key == std::to_string(k)) return (n.end - n.begin).count();
      }
      return std::chrono::nanoseconds::rep{0};
    };
    EXPECT_EQ(paths(77), 0);
    EXPECT_GT(paths(1), paths(2));
    EXPECT_GT(paths(2), paths(3));
    EXPECT_EQ(paths(2) > paths(9), time_of(2) + time_of(3) > time_of(9));
    EXPECT_GE(paths(5), paths(0));

    order.clear();
    graph::run(0, graph::nodes{.predecessors = needs, .compute = compute, .priority = paths});
    std::vector<int> ready = {1, 5, 6, 9};
    ASSERT_EQ(order.size(), 7U);
    for (const int k : order) {
      if (k == 0) break;
      int most = 0;
      for (const int r : ready) most = std::max(most, paths(r));
      EXPECT_EQ(paths(k), most) << k << " began first";
      std::erase(ready, k);
      if (k == 1 || k == 2) ready.push_back(k + 1);
    }
    EXPECT_TRUE(ready.empty());
  });
}

#if SENNIT_EXCEPTIONS
// Catches: a trace that lacks predecessors, and that is accepted.
TEST(graph_priority, refuses_traces_that_do_not_tell_paths) {
  const auto needs = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; };
  graph::trace small(5);
  graph::run(9, graph::nodes{.predecessors = needs, .compute = [](int) {}, .trace = &small});
  EXPECT_EQ(text_of<std::invalid_argument>([&] { graph::longest_paths{small}; }),
            "sennit: graph::longest_paths: the trace has no predecessors; let it have them by graph::trace "
            "seen(10), or more");
}
#endif

std::vector<int> all_below(int n) {
  std::vector<int> keys;
  for (int k = 0; n == 500 && k < n; ++k) keys.push_back(k);
  return keys;
}

// Catches: nodes that are lost or computed twice where several workers take from one heap.
TEST(graph_priority, holds_with_several_workers) {
  with_workers([] {
    for (int round = 0; round < scaled(20); ++round) {
      std::atomic<int> ran{0};
      graph::run(500, graph::nodes{.predecessors = all_below,
                                   .compute = [&](int) { ++ran; },
                                   .priority = [](int k) { return k % 7; }});
      EXPECT_EQ(ran, 501);
    }
  });
}

// Catches: values that are freed too early, or never, where the order is that of priorities.
TEST(graph_priority, goes_with_values) {
  with_workers([] {
    for (int round = 0; round < scaled(20); ++round) {
      const int sum = graph::run(500, graph::nodes{.predecessors = all_below,
                                                   .compute = [](int k, auto& node) -> int {
                                                     int total = k;
                                                     for (const int p : node.predecessors())
                                                       total += node.value(p);
                                                     return total;
                                                   },
                                                   .priority = [](int k) { return k % 7; }});
      EXPECT_EQ(sum, 500 * 501 / 2);
    }
  });
}

// Catches: an error that calls the priority something else, or does not name the node.
TEST(graph_priority, that_throws_is_named) {
  with_workers([] {
    const std::string text = text_of<graph::node_error>([] {
      graph::run(500, graph::nodes{.predecessors = all_below,
                                   .compute = [](int) {},
                                   .priority = [](int k) -> int {
                                     if (k == 3) throw std::runtime_error("unknown");
                                     return 0;
                                   }});
    });
    EXPECT_NE(text.find("asking for the priority of 3"), std::string::npos) << text;
  });
}

}  // namespace
}  // namespace sennit_test
