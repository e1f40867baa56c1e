// SPDX-License-Identifier: Apache-2.0
// Nodes that others create while they run.
#include "support.hpp"

#include <ranges>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

std::vector<int> below(int k) { return k == 0 ? std::vector<int>{} : std::vector<int>{k - 1}; }
std::vector<int> none(int) { return {}; }

// Catches: a run that ends before what was created last; a node that is created twice.
TEST(graph_create, grows_the_graph) {
  const int count = scaled(20'000);
  with_workers([&] {
    for (const bool dense : {false, true}) {
      ledger done(static_cast<std::size_t>(count));
      // Each creates those of a heap below it, and its neighbor's.
      const auto grow = [&](int k, auto& node) {
        done.compute(static_cast<std::size_t>(k), none(k));
        for (int child = 2 * k + 1; child <= 2 * k + 4; ++child) {
          if (child < count) node.create(child);
        }
      };
      if (dense) {
        graph::run(0, graph::nodes{.predecessors = none, .compute = grow, .keys = graph::dense(count)});
      } else {
        graph::run(0, graph::nodes{.predecessors = none, .compute = grow});
      }
      EXPECT_TRUE(done.computed() == std::vector<std::uint32_t>(static_cast<std::size_t>(count), 1));
    }
  });
}

// Catches: a created node that is computed before its predecessors, among them the node that created it;
// predecessors of such that are not made.
TEST(graph_create, brings_predecessors_along) {
  with_workers([] {
    for (int i = 0; i < scaled(100); ++i) {
      // 0 creates 100, which needs all below 100; those need 0.
      ledger done(101);
      const auto before = [](int k) {
        if (k == 100) return std::views::iota(0, 100);
        return std::views::iota(0, k == 0 ? 0 : 1);
      };
      graph::run(0, graph::nodes{.predecessors = before, .compute = [&](int k, auto& node) {
                                   done.compute(static_cast<std::size_t>(k), before(k));
                                   if (k == 0) node.create(100);
                                 }});
      EXPECT_EQ(done.early(), 0U);
      EXPECT_TRUE(done.computed() == std::vector<std::uint32_t>(101, 1));
    }
  });
}

// Catches: a node that begins anew when it is created, though it is part of the run already: computed,
// waiting, or the one that is running.
TEST(graph_create, leaves_alone_what_there_is) {
  with_workers([] {
    ledger done(100);
    graph::run(99, graph::nodes{.predecessors = below, .compute = [&](int k, auto& node) {
                                  done.compute(static_cast<std::size_t>(k), below(k));
                                  for (int i = 0; i < 100; ++i) node.create(i);
                                }});
    EXPECT_EQ(done.early(), 0U);
    EXPECT_TRUE(done.computed() == std::vector<std::uint32_t>(100, 1));
  });
}

// Catches: created nodes that wait for one another, and a run that returns as if all were well.
TEST(graph_create, finds_cycles) {
  with_workers([] {
    const auto before = [](int k) {
      return k == 7 ? std::vector<int>{8} : k == 8 ? std::vector<int>{7} : none(k);
    };
    EXPECT_THROW(graph::run(0, graph::nodes{.predecessors = before,
                                            .compute =
                                                [](int k, auto& node) {
                                                  if (k == 0) node.create(7);
                                                }}),
                 graph::cycle_error<int>);
  });
}

// Catches: what a created node throws, which comes to nobody.
TEST(graph_create, passes_on_what_a_created_node_throws) {
  with_workers([] {
    EXPECT_THAT(text_of<graph::node_error>([] {
                  graph::run(0, graph::nodes{.predecessors = none, .compute = [](int k, auto& node) {
                                               if (k == 5) throw std::runtime_error("no more");
                                               node.create(k + 1);
                                             }});
                }),
                testing::HasSubstr("the node 5: no more"));
    EXPECT_THAT(text_of<graph::node_error>([] {
                  graph::run(0, graph::nodes{.predecessors = none,
                                             .compute = [](int k, auto& node) { node.create(k + 1); },
                                             .keys = graph::dense(10)});
                }),
                testing::HasSubstr("the node 9: "));
  });
}

// Catches: branches of a node that create nodes at once, and write over one another's; a created node that is
// computed before its creator.
TEST(graph_create, from_branches) {
  const int count = scaled(1000);
  const auto before = [](int k) { return std::views::iota(0, k == 0 ? 0 : 1); };
  with_workers([&] {
    for (const bool dense : {false, true}) {
      ledger done(static_cast<std::size_t>(count));
      const auto grow = [&](int k, auto& node) {
        if (k == 0) {
          // Each is created twice.
          sennit::parallel_for(0, 2 * count - 2, [&](int i) { node.create(1 + i / 2); }, sennit::grain(8));
        }
        done.compute(static_cast<std::size_t>(k), before(k));
      };
      if (dense) {
        graph::run(0, graph::nodes{.predecessors = before, .compute = grow, .keys = graph::dense(count)});
      } else {
        graph::run(0, graph::nodes{.predecessors = before, .compute = grow});
      }
      EXPECT_EQ(done.early(), 0U);
      EXPECT_TRUE(done.computed() == std::vector<std::uint32_t>(static_cast<std::size_t>(count), 1));
    }
  });
}

// Catches: the same with values and colors, in a branch that throws, and in nodes that branches create in
// turn.
TEST(graph_create, from_branches_with_values) {
  with_workers([] {
    for (int i = 0; i < scaled(100); ++i) {
      std::atomic<int> computed{0};
      const auto before = [](int k) {
        return std::views::iota(k == 0 ? 0 : (k - 1) / 4, k == 0 ? 0 : (k - 1) / 4 + 1);
      };
      const auto grow = [&](int k, auto& node) -> tracked {
        ++computed;
        const std::uint64_t below = k == 0 ? 0 : node.value((k - 1) / 4).value();
        sennit::parallel_for(
            0, 4,
            [&](int j) {
              if (4 * k + j < 340) node.create(4 * k + j + 1);
              if (i % 10 == 9 && 4 * k + j == 200) throw failure{1};
            },
            sennit::grain(1));
        return tracked(below + 1);
      };
      const auto run = [&] {
        return graph::run(0, graph::nodes{.predecessors = before,
                                          .compute = grow,
                                          .color = [](int k) { return k % 3; },
                                          .coloring = {.of = graph::places::workers}})
            .value();
      };
      if (i % 10 == 9) {
        EXPECT_THROW(run(), graph::node_error);
      } else {
        EXPECT_EQ(run(), 1U);
        EXPECT_EQ(computed, 341);
      }
      ASSERT_EQ(tracked::live(), 0);
    }
  });
}

// Catches: values of the creator, or of other predecessors, that are gone when a created node reads them, and
// those of created nodes that leak.
TEST(graph_create, with_values) {
  with_workers([] {
    for (int i = 0; i < scaled(100); ++i) {
      std::atomic<std::uint64_t> last{0};
      const auto sum = [&](int k, auto& node) -> tracked {
        std::uint64_t result = 1;
        for (const int p : node.predecessors()) result += node.value(p).value();
        if (k < 50) node.create(k + 1);
        if (k == 50) last = result;
        return tracked(result);
      };
      EXPECT_EQ(graph::run(0, graph::nodes{.predecessors = below, .compute = sum}).value(), 1U);
      EXPECT_EQ(last, 51U);
      EXPECT_EQ(tracked::live(), 0);
    }
  });
}

// Catches: a created node that cannot read what its creator can; nor can those that it needs.
TEST(graph_create, with_values_that_the_creator_reads) {
  with_workers([] {
    for (int i = 0; i < scaled(100); ++i) {
      // 1 to 8 need 0; each creates one that needs one that needs 0 and the creator.
      const auto before = [](int k) -> std::vector<int> {
        if (k == 0) return {};
        if (k < 9) return {0};
        if (k == 9) return {1, 2, 3, 4, 5, 6, 7, 8};
        return k < 100 ? std::vector<int>{k + 90} : std::vector<int>{0, k - 100};
      };
      const auto sum = [&](int k, auto& node) -> tracked {
        std::uint64_t result = 1;
        for (const int p : node.predecessors()) result += node.value(p).value();
        if (k > 0 && k < 9) node.create(k + 10);
        return tracked(result);
      };
      EXPECT_EQ(graph::run(9, graph::nodes{.predecessors = before, .compute = sum}).value(), 17U);
      ASSERT_EQ(tracked::live(), 0);
    }
  });
}

// Catches: a created node that is computed and freed while its creator still runs, and is about to create one that reads it;
// the same of what the first one needs.
TEST(graph_create, with_values_of_nodes_that_it_created_before) {
  with_workers([] {
    for (int i = 0; i < scaled(100); ++i) {
      // 0 creates 1, which needs 2, and then 3, which reads both.
      std::atomic<bool> computed{false};
      std::atomic<std::uint64_t> read{0};
      const auto before = [](int k) -> std::vector<int> {
        if (k == 1) return {2};
        return k == 3 ? std::vector<int>{1, 2} : std::vector<int>{};
      };
      const auto sum = [&](int k, auto& node) -> tracked {
        std::uint64_t result = 1;
        for (const int p : node.predecessors()) result += node.value(p).value();
        if (k == 1) computed = true;
        if (k == 3) read = result;
        if (k == 0) {
          node.create(1);
          // Most often, another worker has computed it then.
          for (int wait = 0; wait < 1000 && !computed; ++wait) std::this_thread::yield();
          node.create(3);
        }
        return tracked(result);
      };
      EXPECT_EQ(graph::run(0, graph::nodes{.predecessors = before, .compute = sum}).value(), 1U);
      EXPECT_EQ(read, 4U);
      ASSERT_EQ(tracked::live(), 0);
    }
  });
}

// Catches: the value that a created node has read and others had asked for before, which is freed with the last of these though
// the creator goes on creating.
TEST(graph_create, with_values_that_nodes_have_read_that_it_created_before) {
  with_workers([] {
    for (int i = 0; i < scaled(100); ++i) {
      // 5 needs 0 and 2, which reads 1. 0 creates 3, which reads 1, and then 4, which reads 1 and 3.
      std::atomic<int> computed{0};
      std::atomic<std::uint64_t> read{0};
      const auto before = [](int k) -> std::vector<int> {
        if (k == 5) return {0, 2};
        if (k == 4) return {1, 3};
        return k == 2 || k == 3 ? std::vector<int>{1} : std::vector<int>{};
      };
      const auto wait_for = [&](int nodes) {
        for (int wait = 0; wait < 1000 && (computed & nodes) != nodes; ++wait) std::this_thread::yield();
      };
      const auto sum = [&](int k, auto& node) -> tracked {
        std::uint64_t result = 1;
        for (const int p : node.predecessors()) result += node.value(p).value();
        if (k == 2) wait_for(1 << 3);
        if (k == 4) read = result;
        if (k == 0) {
          wait_for(1 << 1);
          // On one worker 1 may be computed after this, or may have gone.
          if ((computed & 1 << 2) == 0) {
            node.create(3);
            wait_for(1 << 2 | 1 << 3);
            node.create(4);
          }
        }
        computed |= 1 << k;
        return tracked(result);
      };
      EXPECT_EQ(graph::run(5, graph::nodes{.predecessors = before, .compute = sum}).value(), 4U);
      EXPECT_TRUE(read == 4 || read == 0) << read;
      ASSERT_EQ(tracked::live(), 0);
    }
  });
}

// Catches: a value that was freed, as nobody was known to read it, and is read all the same by a node that is
// created later. Whether it has been freed by then may depend on the schedule.
TEST(graph_create, with_values_that_may_have_gone) {
  with_workers([] {
    for (int i = 0; i < scaled(100); ++i) {
      // 9 needs 8, 8 needs 7, and so on. Each creates one that needs the one that is two below it.
      const auto before = [](int k) {
        return std::views::iota(k == 0 ? 0 : k > 9 ? k - 12 : k - 1, k > 9 ? k - 11 : k);
      };
      std::atomic<int> gone{0};
      const auto sum = [&](int k, auto& node) -> tracked {
        std::uint64_t result = 1;
        try {
          for (const int p : node.predecessors()) result += node.value(p).value();
        } catch (const std::logic_error& e) {
          EXPECT_THAT(std::string(e.what()),
                      testing::HasSubstr("which was freed before the reading node was created"));
          ++gone;
        }
        if (k > 1 && k < 10) node.create(k + 10);
        return tracked(result);
      };
      EXPECT_EQ(graph::run(9, graph::nodes{.predecessors = before, .compute = sum}).value(), 10U);
      EXPECT_LE(gone, 8);
      ASSERT_EQ(tracked::live(), 0);
    }
    // One that does not read it does not mind.
    const auto chain = [](int k, auto& node) -> tracked {
      if (k < 20) node.create(k + 1);
      return tracked(static_cast<std::uint64_t>(k));
    };
    const auto all = [](int k) { return std::views::iota(0, k); };
    for (int i = 0; i < scaled(100); ++i) {
      EXPECT_EQ(graph::run(0, graph::nodes{.predecessors = all, .compute = chain, .keys = graph::dense(21)})
                    .value(),
                0U);
      ASSERT_EQ(tracked::live(), 0);
    }
  });
}

}  // namespace
}  // namespace sennit_test
