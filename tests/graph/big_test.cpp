// SPDX-License-Identifier: Apache-2.0
// Graphs as large as they come, for their time: chains are no recursion, and lists of successors no search.
#include "support.hpp"

#include <algorithm>
#include <ranges>
#include <vector>

namespace sennit_test {
namespace {

const int large = SENNIT_TSAN || SENNIT_ASAN ? 50'000 : 1'000'000;

// Each node once: the order is for the others to find out, with fewer nodes.
template <class Predecessors, class Keys>
void expect_count(int sink, const Predecessors& before, const Keys& keys) {
  sennit::reducer<std::int64_t> computed;
  graph::run(sink, graph::nodes{.predecessors = before, .compute = [&](int) { ++*computed; }, .keys = keys});
  EXPECT_EQ(computed.value(), sink + 1);
}

std::vector<int> below(int k) { return k == 0 ? std::vector<int>{} : std::vector<int>{k - 1}; }

// Catches: a stack that grows with the depth of the graph.
TEST(graph_of_many, in_a_chain) {
  under(settings({1, 2}), [](sennit::runtime& rt) {
    rt.run([] {
      char here = 0;
      char* lowest = &here;
      char* highest = &here;
      const graph::nodes chain{.predecessors = below,
                               .compute =
                                   [&](int) {
                                     char there = 0;
                                     // One at a time, in a chain.
                                     lowest = std::min(lowest, &there);
                                     highest = std::max(highest, &there);
                                   },
                               .keys = graph::dense(large + 1)};
      graph::run(large, chain);
      // On one fiber, as nothing in it can be stolen; with AddressSanitizer locals are elsewhere.
      if (!SENNIT_ASAN) {
        EXPECT_LT(highest - lowest, 1 << 16);
      }
      expect_count(large, below, graph::hashed<>());
    });
  });
}
// Catches: a sink whose predecessors are counted in too few bits, or are copied time and again.
TEST(graph_of_many, into_one_and_from_one) {
  const auto before = [](int k) {
    if (k == large) return std::views::iota(1, large);
    return k == 0 ? std::views::iota(0, 0) : std::views::iota(0, 1);
  };
  under(settings({1, 2}), [&](sennit::runtime& rt) {
    rt.run([&] {
      expect_count(large, before, graph::dense(large + 1));
      expect_count(large, before, graph::hashed<>());
    });
  });
}
// Catches: values whose boxes are searched.
TEST(graph_of_many, with_values) {
  const auto before = [](int k) { return k < 2 ? std::vector<int>() : std::vector<int>{k / 2, k - 2}; };
  const auto count = [&](int k, auto& node) -> std::uint64_t {
    std::uint64_t sum = 1;
    for (const int p : before(k)) sum = sum * 3 + node.value(p);
    return sum;
  };
  std::vector<std::uint64_t> expected(static_cast<std::size_t>(large) + 1);
  for (int k = 0; k <= large; ++k) {
    std::uint64_t sum = 1;
    for (const int p : before(k)) sum = sum * 3 + expected[static_cast<std::size_t>(p)];
    expected[static_cast<std::size_t>(k)] = sum;
  }
  under(settings({1, 2}), [&](sennit::runtime& rt) {
    const graph::nodes all{.predecessors = before, .compute = count, .keys = graph::dense(large + 1)};
    EXPECT_EQ(rt.run([&] { return graph::run(large, all); }), expected.back());
  });
}

}  // namespace
}  // namespace sennit_test
