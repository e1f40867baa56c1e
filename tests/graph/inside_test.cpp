// SPDX-License-Identifier: Apache-2.0
// Graphs among other constructs: in regions, in recordings, in each other, and with constructs in their
// nodes.
#include "support.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <ranges>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

std::vector<int> below(int k) { return k == 0 ? std::vector<int>{} : std::vector<int>{k - 1}; }
std::vector<int> halves(int k) { return k == 0 ? std::vector<int>{} : std::vector<int>{k - 1, k / 2}; }

// Catches: frames of a graph that are mixed up with those of its nodes, or are lost when a node's strand is
// suspended and goes on elsewhere.
TEST(graph_inside, nodes_that_fork) {
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    std::atomic<long> sum{0};
    sennit::reducer<std::vector<std::uint64_t>, appending> visited;
    std::vector<long> marks(1000);
    rt.run([&] {
      graph::run(99, graph::nodes{
                         .predecessors =
                             [](int k) { return k == 99 ? std::views::iota(0, 99) : std::views::iota(0, 0); },
                         .compute =
                             [&](int k) {
                               sennit::join([&] { sum += k; },
                                            [&] { sennit::join([&] { sum += 1; }, [&] { sum += 2; }); });
                               if (k < 10) {
                                 sennit::parallel_for(k * 100, k * 100 + 100,
                                                      [&](int i) { ++marks[static_cast<std::size_t>(i)]; });
                               }
                               sennit::task_group group;
                               for (int i = 0; i < 3; ++i) group.spawn([&] { ++sum; });
                               group.wait();
                               visited->push_back(static_cast<std::uint64_t>(k));
                             }});
    });
    EXPECT_EQ(sum, 99 * 100 / 2 + 100 * 6);
    EXPECT_EQ(std::accumulate(marks.begin(), marks.end(), 0L), 1000);
    // Nodes have no order, and each is in the result once.
    std::vector<std::uint64_t> seen = visited.value();
    std::sort(seen.begin(), seen.end());
    std::vector<std::uint64_t> all(100);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
  });
}
// Catches: a node's strand that goes on on another worker with what belongs to the one it left.
TEST(graph_inside, nodes_that_move_to_other_workers) {
  under(settings({2, 4}), [](sennit::runtime& rt) {
    rt.run([&] {
      ledger done(8);
      graph::run(7, graph::nodes{.predecessors = below, .compute = [&](int k) {
                                   suspend(rt);
                                   lose_all_frames();
                                   done.compute(static_cast<std::size_t>(k), below(k));
                                 }});
      EXPECT_EQ(done.early(), 0U);
      EXPECT_TRUE(done.computed() == std::vector<std::uint32_t>(8, 1));
    });
  });
}
// Catches: two runs that take each other's items, or wait for each other.
TEST(graph_inside, of_each_other) {
  with_workers([] {
    std::atomic<int> inner{0};
    const auto sum = [&](int k, auto& node) -> int {
      int total = graph::run(k % 20, graph::nodes{.predecessors = halves,
                                                  .compute =
                                                      [&](int) {
                                                        ++inner;
                                                        return 1;
                                                      },
                                                  .color = [](int c) { return c % 2; },
                                                  .keys = graph::dense(20)});
      for (const int p : node.predecessors()) total = (total + node.value(p)) % 1000;
      return total;
    };
    const auto run = [&] { return graph::run(100, graph::nodes{.predecessors = below, .compute = sum}); };
    EXPECT_EQ(run(), 101);
    EXPECT_EQ(inner, 5 * 210 + 1);
    const auto [left, right] = sennit::join(run, run);
    EXPECT_EQ(left, 101);
    EXPECT_EQ(right, 101);
  });
}
// Catches: an exception of an inner run that ends the outer one without a name.
TEST(graph_inside, of_each_other_fails) {
  with_workers([] {
    const auto fail = [](int k) {
      graph::run(k, graph::nodes{.predecessors = below, .compute = [](int i) {
                                   if (i == 7) throw failure{7};
                                 }});
    };
    EXPECT_THAT(text_of<graph::node_error>(
                    [&] { graph::run(9, graph::nodes{.predecessors = below, .compute = fail}); }),
                testing::AllOf(testing::HasSubstr("computing the node 7: "),
                               testing::HasSubstr("computing the node 7: ")));
  });
}

// Catches: a cancelled region whose graph goes on to its end; nodes that begin after run() has returned.
TEST(graph_inside, a_cancelled_region) {
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    const auto expect_cancelled = [&](auto before, int sink, int which, int at_most) {
      rt.run([&] {
        sennit::region r;
        std::atomic<int> computed{0};
        std::atomic<bool> thrown{false};
        const bool done = r.run([&] {
          try {
            graph::run(sink, graph::nodes{.predecessors = before, .compute = [&](int k) {
                                            if (k == which) r.cancel();
                                            ++computed;
                                          }});
          } catch (const sennit::cancelled&) {
            thrown = true;
            throw;
          }
        });
        EXPECT_FALSE(done);
        EXPECT_TRUE(thrown);
        EXPECT_LE(computed, at_most);
        const int then = computed;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_EQ(computed, then);
      });
    };
    // In a chain there is never anything to be shared, in a fan always.
    expect_cancelled(below, 10'000, 100, 101);
    expect_cancelled([](int k) { return k == 20'000 ? std::views::iota(0, 20'000) : std::views::iota(0, 0); },
                     20'000, 19'990, 20'000);
  });
}
TEST(graph_inside, a_region_that_was_cancelled_before) {
  with_workers([] {
    sennit::region r;
    std::atomic<int> computed{0};
    EXPECT_FALSE(r.run([&] {
      r.cancel();
      graph::run(10, graph::nodes{.predecessors = below, .compute = [&](int) { ++computed; }});
    }));
    EXPECT_EQ(computed, 0);
    // A region inside, which is cancelled, is none of the graph's business.
    EXPECT_NO_THROW(graph::run(10, graph::nodes{.predecessors = below, .compute = [&](int) {
                                                  sennit::region inner;
                                                  inner.run([&] {
                                                    inner.cancel();
                                                    sennit::join([] {}, [] {});
                                                  });
                                                  ++computed;
                                                }}));
    EXPECT_EQ(computed, 11);
  });
}

// Catches: a recording that depends on who happens to wait, or a graph in it that is computed wrong.
TEST(graph_inside, a_recording) {
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    rt.run([] {
      std::vector<std::thread::id> where(100);
      int sum = 0;
      const auto kernel = [&] {
        sum = graph::run(99, graph::nodes{.predecessors = halves,
                                          .compute = [&](int k, auto& node) -> int {
                                            where[static_cast<std::size_t>(k)] = std::this_thread::get_id();
                                            return k == 0 ? 0 : node.value(k - 1) + 1 + 0 * node.value(k / 2);
                                          },
                                          .color = [](int k) { return k % 2; }});
      };
      const sennit::schedule recorded = sennit::record(kernel);
      EXPECT_EQ(sum, 99);
      const std::vector<std::thread::id> as_recorded = where;
      sum = 0;
      sennit::replay(recorded, sennit::strict_ordered, kernel);
      EXPECT_EQ(sum, 99);
      EXPECT_EQ(where, as_recorded);
    });
  });
}

// Catches: what waits for another color being given away out of an observed strand.
TEST(graph_inside, a_recording_of_a_graph_with_colors_of_workers) {
  under(settings({2, 4}), [](sennit::runtime& rt) {
    rt.run([] {
      std::vector<std::thread::id> where(2000);
      const auto kernel = [&] {
        graph::run(1999, graph::nodes{.predecessors = halves,
                                      .compute =
                                          [&](int k) {
                                            where[static_cast<std::size_t>(k)] = std::this_thread::get_id();
                                          },
                                      .color = [](int k) { return k % 4; },
                                      .coloring = {.of = graph::places::workers}});
      };
      const sennit::schedule recorded = sennit::record(kernel);
      const std::vector<std::thread::id> as_recorded = where;
      sennit::replay(recorded, sennit::strict_ordered, kernel);
      EXPECT_EQ(where, as_recorded);
    });
  });
}

// Catches: what runs have in common that they should not.
TEST(graph_inside, several_threads_at_once) {
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    std::vector<std::thread> threads;
    std::array<int, 4> sums{};
    for (std::size_t t = 0; t < sums.size(); ++t) {
      threads.emplace_back([&, t] {
        const auto once = [&] {
          const auto sum = [&](int k, auto& node) -> int {
            return k == 0 ? static_cast<int>(t) : node.value(k - 1) + 1 + 0 * node.value(k / 2);
          };
          return graph::run(200, graph::nodes{.predecessors = halves, .compute = sum});
        };
        for (int i = 0; i < scaled(50); ++i) sums[t] += t % 2 == 0 ? once() : rt.run(once);
      });
    }
    for (std::thread& t : threads) t.join();
    for (std::size_t t = 0; t < sums.size(); ++t)
      EXPECT_EQ(sums[t], (200 + static_cast<int>(t)) * scaled(50));
  });
}

}  // namespace
}  // namespace sennit_test
