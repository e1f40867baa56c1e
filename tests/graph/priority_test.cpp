// graph::nodes::priority: which of the nodes that are ready begin first.
#include "support.hpp"

#include <sennit/runtime.hpp>

#include <atomic>
#include <string>
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

// Catches: a node that is computed before a more urgent one has been found, though both need nothing.
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
