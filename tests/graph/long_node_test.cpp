// SPDX-License-Identifier: Apache-2.0
// What is ready is on offer whenever a worker waits, also while the strand that found it is in a long node.
#include "support.hpp"

#include <sennit/parallel_for.hpp>
#include <sennit/static_graph.hpp>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using namespace std::chrono_literals;

// One node goes on until all others have been computed, and so must all be computed by others. Catches: items that a
// strand keeps to itself while it is in a node; then the run waits for ever.
class long_node {
 public:
  explicit long_node(int others) : others_(others) {}

  void compute(bool is_long) {
    if (is_long) {
      await([&] { return ended_ == others_; }, "nodes that others compute while one node takes long");
    } else {
      ++ended_;
    }
  }

 private:
  const int others_;
  std::atomic<int> ended_{0};
};

constexpr int nodes = 100;
std::vector<int> all_before(int k) {
  std::vector<int> before(static_cast<std::size_t>(k == nodes ? nodes : 0));
  std::iota(before.begin(), before.end(), 0);
  return before;
}

TEST(graph_long_node, does_not_keep_the_others) {
  under(settings({2, 4}), [](sennit::runtime& rt) {
    // The node that is reached first, in the middle, and last.
    for (const int long_one : {0, nodes / 2, nodes - 1}) {
      rt.run([&] {
        long_node test(nodes - 1);
        graph::run(nodes, graph::nodes{.predecessors = all_before,
                                       .compute =
                                           [&](int k) {
                                             if (k != nodes) test.compute(k == long_one);
                                           },
                                       .keys = graph::dense(nodes + 1)});
      });
    }
  });
}

TEST(graph_long_node, does_not_keep_the_others_of_a_static_graph) {
  under(settings({2, 4}), [](sennit::runtime& rt) {
    graph::static_graph g;
    const auto first = g.add(nodes);
    rt.run([&] {
      for (const int long_one : {0, nodes / 2, nodes - 1}) {
        long_node test(nodes - 1);
        g.run(
            [&](graph::static_graph::node n) { test.compute(n == first + static_cast<unsigned>(long_one)); });
      }
    });
  });
}

// Catches: a queue that others have emptied, and that is not found again when it has items.
TEST(graph_long_node, does_not_keep_what_comes_later) {
  under(settings({2, 4}), [](sennit::runtime& rt) {
    static constexpr int phases = 20;
    static constexpr int width = 12;  // the last node of each phase is what the next phase waits for
    rt.run([&] {
      std::atomic<int> ended[phases]{};
      graph::run(phases * width - 1,
                 graph::nodes{.predecessors =
                                  [](int k) {
                                    const int phase = k / width;
                                    std::vector<int> before;
                                    if (k % width == width - 1) {
                                      for (int i = 0; i < width - 1; ++i) before.push_back(phase * width + i);
                                    } else if (phase > 0) {
                                      before.push_back(phase * width - 1);
                                    }
                                    return before;
                                  },
                              .compute =
                                  [&](int k) {
                                    const int phase = k / width;
                                    if (k % width == width - 1) return;
                                    if (k % width == phase % (width - 1)) {
                                      await([&] { return ended[phase] == width - 2; },
                                            "nodes of a phase of which one node takes long");
                                    } else {
                                      ++ended[phase];
                                    }
                                  },
                              .keys = graph::dense(phases * width)});
    });
  });
}

// Catches: a node that waits in a construct of its own, and keeps what its strand found from its own worker, too.
TEST(graph_long_node, that_waits_for_branches_does_not_keep_the_others) {
  under(settings({2, 4}), [](sennit::runtime& rt) {
    rt.run([&] {
      long_node test(nodes - 1);
      graph::run(nodes, graph::nodes{.predecessors = all_before,
                                     .compute =
                                         [&](int k) {
                                           if (k == nodes) return;
                                           if (k != 50) return test.compute(false);
                                           sennit::parallel_for(0, 8, [&](int) { test.compute(true); });
                                         },
                                     .keys = graph::dense(nodes + 1)});
    });
  });
}

}  // namespace
}  // namespace sennit_test
