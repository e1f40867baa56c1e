// SPDX-License-Identifier: Apache-2.0
// How much is alive in a run with most_alive.
#include "support.hpp"

#include <cstdint>
#include <vector>

namespace sennit_test {
namespace {

// A tree over `loads` leaves: nodes below `loads` are the leaves, and each other node reads two.
std::vector<int> before_in_tree(int k, int loads) {
  if (k < loads) return {};
  return {2 * (k - loads), 2 * (k - loads) + 1};
}

// Catches: a bound that is not kept although one strand after the other could keep it; a node that waits and is lost.
TEST(graph_alive, of_a_thousand_loads_and_a_tree_of_digests) {
  const int loads = scaled(1000);
  for (const unsigned workers : {1U, 2U, 8U}) {
    under(settings({workers}), [&](sennit::runtime& rt) {
      rt.run([&] {
        for (const std::size_t most : {std::size_t{1000}, std::size_t{40}, std::size_t{16}, std::size_t{1}}) {
          graph::alive_seen seen;
          const auto value = graph::run(
              2 * loads - 2, graph::nodes{.predecessors = [&](int k) { return before_in_tree(k, loads); },
                                          .compute = [&](int k, auto& node) -> tracked {
                                            std::uint64_t sum = k < loads ? static_cast<std::uint64_t>(k) : 0;
                                            for (const int p : before_in_tree(k, loads))
                                              sum += node.value(p).value();
                                            return tracked(sum);
                                          },
                                          .most_alive = graph::alive{.values = most, .seen = &seen}});
          const auto n = static_cast<std::uint64_t>(loads);
          EXPECT_EQ(value.value(), n * (n - 1) / 2);
          EXPECT_GT(seen.values, 0U);
          EXPECT_EQ(seen.beyond, seen.values > most);
          if (most == 1) {
            EXPECT_TRUE(seen.beyond);
          }
          if (most >= 16) {
            EXPECT_FALSE(seen.beyond) << seen.values;
          }
        }
        EXPECT_EQ(tracked::live(), 0);
      });
    });
  }
}

// Catches: long chains, for which the numbers of the order run out, so that what is needed last begins first.
TEST(graph_alive, of_a_long_fold) {
  const int steps = scaled(2000);
  for (const unsigned workers : {1U, 2U, 8U}) {
    under(settings({workers}), [&](sennit::runtime& rt) {
      rt.run([&] {
        for (const std::size_t most : {std::size_t{3}, std::size_t{8}}) {
          // Even nodes are sums: of the sum before, and of a load, which is odd.
          const auto before = [](int k) {
            return k % 2 == 1 || k == 0 ? std::vector<int>{} : std::vector<int>{k - 2, k - 1};
          };
          graph::alive_seen seen;
          const auto compute = [&](int k, auto& node) -> tracked {
            std::uint64_t sum = k % 2 == 1 ? 1 : 0;
            for (const int p : before(k)) sum += node.value(p).value();
            return tracked(sum);
          };
          const auto value =
              graph::run(2 * steps, graph::nodes{.predecessors = before,
                                                 .compute = compute,
                                                 .most_alive = graph::alive{.values = most, .seen = &seen}});
          EXPECT_EQ(value.value(), static_cast<std::uint64_t>(steps));
          EXPECT_LE(seen.values, most + workers);
        }
        EXPECT_EQ(tracked::live(), 0);
      });
    });
  }
}

// Catches: a bound that is wrong, and that nobody refuses.
TEST(graph_alive, of_bounds_that_nothing_keeps) {
  const auto run = [](auto bound) {
    graph::run(3, graph::nodes{.predecessors = [](int k) { return std::vector<int>(k > 0 ? 1 : 0, k - 1); },
                               .compute = [](int k) { return k; },
                               .most_alive = bound});
  };
  EXPECT_THAT(text_of<std::invalid_argument>([&] { run(-1); }), testing::HasSubstr("most_alive is -1"));
  EXPECT_THAT(text_of<std::invalid_argument>([&] { run(graph::alive{.values = 0}); }),
              testing::HasSubstr("values is 0"));
  EXPECT_THAT(text_of<std::invalid_argument>([&] { run(graph::alive{.bytes = 9}); }),
              testing::HasSubstr("without bytes_of"));
  run(1);
}

// Catches: bytes that are not counted, or a function that throws and leaves something behind.
TEST(graph_alive, in_bytes) {
  with_workers([] {
    for (const bool throws : {false, true}) {
      graph::alive_seen seen;
      const auto run = [&] {
        return graph::run(
            0, graph::nodes{.predecessors = [](int k) { return std::vector<int>(k < 50 ? 1 : 0, k + 1); },
                            .compute = [](int k) { return tracked(static_cast<std::uint64_t>(k)); },
                            .most_alive = graph::alive{.bytes = 100,
                                                       .bytes_of =
                                                           [=](const tracked& t) {
                                                             if (throws && t.value() == 7) throw failure{7};
                                                             return 40;
                                                           },
                                                       .seen = &seen}});
      };
      if (throws) {
        EXPECT_THAT(text_of<graph::node_error>(run), testing::HasSubstr("the bytes of 7"));
      } else {
        EXPECT_EQ(run().value(), 0U);
        EXPECT_EQ(seen.bytes, 40U);
        EXPECT_FALSE(seen.beyond);
      }
      EXPECT_EQ(tracked::live(), 0);
    }
  });
}

}  // namespace
}  // namespace sennit_test
