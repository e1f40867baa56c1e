// SPDX-License-Identifier: Apache-2.0
// What graph::run() computes: what the sink needs, each node once, after its predecessors.
#include "support.hpp"

#include <array>
#include <forward_list>
#include <iterator>
#include <ranges>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

std::vector<int> below(int k) { return k == 0 ? std::vector<int>{} : std::vector<int>{k - 1}; }

// Catches: a node that is taken for one that waits; a run that ends before its sink.
TEST(graph_run, of_one_node) {
  with_workers([] { expect_computed_by_all(1, 0, [](int) { return std::vector<int>(); }); });
}

// Catches: a successor that is lost when its predecessor is computed at that moment.
TEST(graph_run, of_a_chain) {
  with_workers([] { expect_computed_by_all(10'000, 9'999, below); });
}

// Catches: a node that is made by two explorers, or computed after the first of two predecessors.
TEST(graph_run, of_a_diamond) {
  with_workers([] {
    for (int i = 0; i < scaled(200); ++i) {
      expect_computed_by_all(4, 3, [](int k) {
        if (k == 3) return std::vector<int>{1, 2};
        return k == 0 ? std::vector<int>() : std::vector<int>{0};
      });
    }
  });
}

// Catches: the same where thieves have halves of the graph that meet everywhere.
TEST(graph_run, of_a_grid) {
  const int side = SENNIT_TSAN || SENNIT_ASAN ? 60 : 200;
  with_workers([&] {
    for (int i = 0; i < 5; ++i) {
      expect_computed_by_all(static_cast<std::size_t>(side * side), side * side - 1, [&](int k) {
        std::vector<int> before;
        if (k % side != 0) before.push_back(k - 1);
        if (k >= side) before.push_back(k - side);
        return before;
      });
    }
  });
}

// Catches: a count of predecessors, or a list of successors, that is lost in part when many change it.
TEST(graph_run, of_a_fan) {
  const int width = scaled(20'000);
  with_workers([&] {
    expect_computed_by_all(static_cast<std::size_t>(width) + 2, width + 1, [&](int k) {
      if (k == 0) return std::vector<int>();
      if (k <= width) return std::vector<int>{0};
      std::vector<int> all(static_cast<std::size_t>(width));
      for (int i = 0; i < width; ++i) all[static_cast<std::size_t>(i)] = i + 1;
      return all;
    });
  });
}

// Catches: nodes that are computed though nobody asked for them.
TEST(graph_run, of_what_the_sink_needs_only) {
  with_workers([] {
    expect_computed_by_all(1000, 512,
                           [](int k) { return k < 2 ? std::vector<int>() : std::vector<int>{k / 2}; });
  });
}

// Catches: a predecessor that counts once where it is listed twice, or the other way round, whether it has
// been computed or not.
TEST(graph_run, with_duplicates) {
  with_workers([] {
    expect_computed_by_all(100, 99, [](int k) {
      return k == 0 ? std::vector<int>() : std::vector<int>{k - 1, k / 2, k - 1, k / 2, k - 1};
    });
  });
}

// Catches: a range that is gone when its elements are asked for, or is gone through twice although it can be
// once only.
TEST(graph_run, with_any_range_of_predecessors) {
  with_workers([] {
    expect_computed(50, 49, [](int k) { return std::views::iota(0, k); });
    expect_computed(50, 49, [](int k) {
      return std::views::iota(0, k) | std::views::filter([](int p) { return p % 3 == 0; });
    });
    expect_computed(50, 49, [](int k) { return std::forward_list<int>(k == 0 ? 0 : 1, k - 1); });
    expect_computed(50, 49,
                    [](int k) { return std::array<int, 2>{k == 0 ? 0 : k - 1, 0} | std::views::take(k); });
    static const std::vector<std::vector<int>> lists{{}, {0}, {0, 1}, {2, 1}};
    expect_computed(4, 3,
                    [](int k) -> const std::vector<int>& { return lists[static_cast<std::size_t>(k)]; });
  });
}
TEST(graph_run, with_a_range_of_one_pass) {
  struct numbers {
    explicit numbers(const std::string& s) : text(s) {}
    numbers(const numbers& other) : text(other.text.str()) {}
    std::istream_iterator<int> begin() { return std::istream_iterator<int>(text); }
    std::istream_iterator<int> end() { return {}; }
    std::istringstream text;
  };
  with_workers([] {
    expect_computed(10, 9, [](int k) { return numbers(k == 0 ? "" : "0 " + std::to_string(k - 1)); });
  });
}

// Catches: functions that are copied, or called as if they could change.
TEST(graph_run, by_functions_of_each_kind) {
  static std::atomic<int> computed;
  struct adder {
    std::vector<int> before(int k) const { return below(k); }
    void operator()(int) const { ++computed; }
    adder() = default;
    adder(const adder&) = delete;
    adder& operator=(const adder&) = delete;
  };
  computed = 0;
  graph::run(9, graph::nodes{.predecessors = below, .compute = +[](int) { ++computed; }});
  EXPECT_EQ(computed, 10);
  const adder a;
  graph::run(9, graph::nodes{.predecessors = [&](int k) { return a.before(k); }, .compute = std::cref(a)});
  EXPECT_EQ(computed, 20);
}

// Catches: the short form that does not compile, or drops the color.
TEST(graph_run, by_functions_behind_pointers) {
  with_workers([] {
    ledger done(100);
    graph::run(99, {.predecessors = below,
                    .compute = [&](int k) { done.compute(static_cast<std::size_t>(k), below(k)); }});
    EXPECT_EQ(done.early(), 0U);
    EXPECT_EQ(done.computed(), std::vector<std::uint32_t>(100, 1));

    std::atomic<int> asked{0};
    ledger again(100);
    graph::run(
        99, {.predecessors = [](int k) { return std::views::iota(0, k); },
             .compute = [&](int k,
                            auto& node) { again.compute(static_cast<std::size_t>(k), node.predecessors()); },
             .color =
                 [&](int k) {
                   ++asked;
                   return k % 2;
                 },
             .coloring = {.of = graph::places::workers}});
    EXPECT_EQ(again.early(), 0U);
    EXPECT_EQ(again.computed(), std::vector<std::uint32_t>(100, 1));
    EXPECT_GE(asked, 99);
  });
}

// Catches: a node whose key is that of another one.
TEST(graph_run, tells_each_node_its_key) {
  with_workers([] {
    std::atomic<int> wrong{0};
    graph::run(99, graph::nodes{.predecessors = below, .compute = [&](int k, auto& node) {
                                  if (node.key() != k || node.predecessors() != below(k)) ++wrong;
                                }});
    EXPECT_EQ(wrong, 0);
  });
}

// Catches: what a run leaves behind in the functions, or in the runtime.
TEST(graph_run, again_and_again) {
  with_workers([] {
    int computed = 0;
    const graph::nodes chain{
        .predecessors = below, .compute = [&](int) { ++computed; }, .keys = graph::dense(10)};
    for (int i = 0; i < scaled(500); ++i) graph::run(9, chain);
    EXPECT_EQ(computed, 10 * scaled(500));
  });
}

// Catches: a run that needs a region around it.
TEST(graph_run, outside_any_runtime) {
  expect_computed_by_all(100, 99, below);
  const auto sum = [](int k, auto& node) -> int { return k == 0 ? 0 : k + node.value(k - 1); };
  EXPECT_EQ(graph::run(10, graph::nodes{.predecessors = below, .compute = sum}), 55);
}

}  // namespace
}  // namespace sennit_test
