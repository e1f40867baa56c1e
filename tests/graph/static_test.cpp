// SPDX-License-Identifier: Apache-2.0
// static_graph: built once, run any number of times.
#include "support.hpp"

#include <sennit/join.hpp>
#include <sennit/region.hpp>
#include <sennit/static_graph.hpp>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using graph::static_graph;
using node = static_graph::node;

// Expects that each node runs once, after those before it.
void expect_in_order(static_graph& g, const std::vector<std::vector<int>>& before, std::uint32_t seed = 0) {
  ledger done(before.size());
  g.run([&](node n) { done.compute(n, before[n]); });
  EXPECT_EQ(done.early(), 0U) << "seed " << seed;
  for (const std::uint32_t times : done.computed()) EXPECT_EQ(times, 1U) << "seed " << seed;
}

struct built {
  static_graph graph;
  std::vector<std::vector<int>> before;
};

void add_edge(built& b, int from, int to) {
  b.graph.edge(static_cast<node>(from), static_cast<node>(to));
  b.before[static_cast<std::size_t>(to)].push_back(from);
}

void make_random(built& b, int nodes, std::uint32_t seed) {
  std::mt19937 random(seed);
  b.before.resize(static_cast<std::size_t>(nodes));
  b.graph.add(static_cast<std::size_t>(nodes));
  // Numbers say nothing of the order.
  std::vector<int> order(static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (int i = 1; i < nodes; ++i) {
    for (unsigned e = random() % 4; e > 0; --e) {
      const int j = static_cast<int>(random() % static_cast<unsigned>(i));
      add_edge(b, order[static_cast<std::size_t>(j)], order[static_cast<std::size_t>(i)]);
    }
  }
}

// Catches: counts that a run does not restore; a source that is forgotten; edges that are sorted under the wrong node.
TEST(static_graph, runs_random_graphs_again_and_again) {
  with_workers([] {
    for (std::uint32_t seed = 0; seed < scaled(20U); ++seed) {
      built b;
      make_random(b, 300, seed);
      for (int round = 0; round < 4; ++round) expect_in_order(b.graph, b.before, seed);
    }
  });
}

// Catches: edges that are added after a run and not seen by the next.
TEST(static_graph, grows_between_runs) {
  with_workers([] {
    built b;
    for (int n = 0; n < 50; ++n) {
      EXPECT_EQ(b.graph.add(), static_cast<node>(n));
      b.before.emplace_back();
      if (n > 0) add_edge(b, n - 1, n);
      if (n > 5) add_edge(b, n - 5, n);
      expect_in_order(b.graph, b.before);
    }
    EXPECT_EQ(b.graph.size(), 50U);
    EXPECT_EQ(b.graph.edge_count(), 49U + 44U);
  });
}

// Catches: a run of nothing that waits for something.
TEST(static_graph, may_be_empty_or_without_edges) {
  with_workers([] {
    static_graph none;
    none.run([](node) { FAIL(); });
    built b;
    b.graph.add(1000);
    b.before.resize(1000);
    expect_in_order(b.graph, b.before);
  });
}

// Catches: an edge that is given twice and counted once on one side.
TEST(static_graph, counts_edges_as_often_as_they_are_given) {
  with_workers([] {
    built b;
    b.graph.add(2);
    b.before.resize(2);
    for (int i = 0; i < 3; ++i) add_edge(b, 0, 1);
    expect_in_order(b.graph, b.before);
  });
}

// Catches: a hang where nodes wait for one another, and a message without their numbers.
TEST(static_graph, names_the_nodes_of_a_cycle) {
  static_graph g;
  g.add(6);
  g.edge(0, 1);
  g.edge(1, 2);
  g.edge(2, 3);
  g.edge(3, 1);
  g.edge(3, 4);
  for (int round = 0; round < 2; ++round) {
    try {
      g.run([](node) { FAIL(); });
      FAIL() << "it ran";
    } catch (const graph::cycle_error<node>& e) {
      ASSERT_EQ(e.keys().size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        // Each needs the next: 1 needs 3, 3 needs 2, 2 needs 1.
        EXPECT_EQ(e.keys()[(i + 1) % 3], e.keys()[i] == 1 ? 3 : e.keys()[i] - 1);
      }
      EXPECT_NE(std::string(e.what()).find("needs"), std::string::npos);
    }
  }
}

// Catches: a search through all edges for each node of the cycle, which would take hours.
TEST(static_graph, names_a_cycle_of_a_million_nodes) {
  static_graph g;
  constexpr std::uint32_t n = 1'000'000;
  g.add(n);
  for (std::uint32_t k = 0; k < n; ++k) g.edge(k, (k + 1) % n);
  try {
    g.run([](node) {});
    ADD_FAILURE() << "no cycle was found";
  } catch (const graph::cycle_error<node>& e) {
    EXPECT_EQ(e.keys().size(), n);
  }
}

// Catches: numbers that are used without a look.
TEST(static_graph, refuses_edges_that_make_no_sense) {
  static_graph g;
  g.add(3);
  EXPECT_THROW(g.edge(0, 3), std::out_of_range);
  EXPECT_THROW(g.edge(3, 0), std::out_of_range);
  EXPECT_THROW(g.edge(1, 1), graph::cycle_error<graph::static_graph::node>);
  EXPECT_THROW(g.add(~std::size_t{0}), std::length_error);
  EXPECT_EQ(g.size(), 3U);
  g.run([](node) {});
}

// Catches: counts that a failed run leaves as they were; nodes that begin after it.
TEST(static_graph, can_be_run_again_after_a_failure) {
  with_workers([] {
    built b;
    make_random(b, 300, 7);
    for (int round = 0; round < scaled(20); ++round) {
      const auto bad = static_cast<node>(round * 13 % 300);
      EXPECT_THROW(b.graph.run([&](node n) {
        if (n == bad) throw std::runtime_error("bad");
      }),
                   std::runtime_error);
      expect_in_order(b.graph, b.before);
    }
  });
}

// Catches: a second run that is let in and counts down what the first one needs.
TEST(static_graph, runs_once_at_a_time) {
  static_graph g;
  g.add(1);
  g.run([&](node) { EXPECT_THROW(g.run([](node) {}), std::logic_error); });
  g.run([](node) {});
}

// Catches: a cancelled run that is taken for a complete one, or spoils the next.
TEST(static_graph, ends_with_its_region) {
  with_workers([] {
    built b;
    make_random(b, 300, 3);
    sennit::region r;
    EXPECT_FALSE(r.run([&] { b.graph.run([&](node) { r.cancel(); }); }));
    expect_in_order(b.graph, b.before);
  });
}

// Catches: a strand that comes back from a wait within a node on another worker, with the local queue of the first.
TEST(static_graph, computes_nodes_that_fork) {
  with_workers([] {
    built b;
    make_random(b, 300, 11);
    ledger done(300);
    b.graph.run([&](node n) {
      sennit::join([] { std::this_thread::yield(); }, [] { std::this_thread::yield(); });
      done.compute(n, b.before[n]);
    });
    EXPECT_EQ(done.early(), 0U);
  });
}

}  // namespace
}  // namespace sennit_test
