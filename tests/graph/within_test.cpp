// SPDX-License-Identifier: Apache-2.0
// .within: nodes of graph::run() and tasks of a task_flow that are not begun before they have a permit.
#include "crowd.hpp"
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/graph_replay.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/limit.hpp>
#include <sennit/region.hpp>
#include <sennit/runtime.hpp>
#include <sennit/task_flow.hpp>
#include <sennit/worker.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using sennit::limit;

// A sink behind so many nodes.
std::vector<int> below(int k, int count) {
  std::vector<int> keys;
  for (int p = 0; k == count && p < count; ++p) keys.push_back(p);
  return keys;
}
constexpr int count = 200;
std::vector<int> before(int k) { return below(k, count); }

// Catches: a node that runs without its permit, twice, or never; a permit that is kept.
TEST(within, bounds_nodes) {
  with_workers([] {
    limit two(2);
    crowd inside;
    std::atomic<int> others{0};
    graph::run(count, graph::nodes{.predecessors = before,
                                   .compute =
                                       [&](int k) {
                                         if (k % 3 == 0) {
                                           ++others;
                                         } else {
                                           inside.visit();
                                         }
                                       },
                                   .within = [&](int k) { return k % 3 == 0 ? nullptr : &two; }});
    EXPECT_LE(inside.most(), 2);
    EXPECT_EQ(inside.visits() + others.load(), count + 1);
    EXPECT_EQ(two.free(), 2U);
  });
}

// Catches: nodes that enter limits in the order in which they name them, and wait for each other; values that are freed or
// missing where a node went on elsewhere; the same with priorities, colors, a bound and a trace.
TEST(within, several_limits_with_values_and_options) {
  with_workers([] {
    limit a(1);
    limit b(2);
    limit c(1);
    crowd inside;
    int alone = 0;  // of those within c; not atomic
    const auto limits = [&](int k) -> std::vector<limit*> {
      if (k % 2 == 0) return {&c, &a};
      return k % 3 == 0 ? std::vector<limit*>{&a, &b, &c, nullptr} : std::vector<limit*>{&b, &c, &b};
    };
    const auto tree = [](int k) {
      return k >= 100 ? std::vector<int>() : std::vector<int>{2 * k, 2 * k + 1};
    };
    const auto sum = [&](int k, auto& node) -> long {
      inside.visit();
      ++alone;
      long total = k;
      for (const int p : node.predecessors()) total += node.value(p);
      return total;
    };
    constexpr long total = 199 * 200 / 2;
    EXPECT_EQ(graph::run(1, graph::nodes{.predecessors = tree, .compute = sum, .within = limits}), total);
    EXPECT_EQ(
        graph::run(1, graph::nodes{.predecessors = tree, .compute = sum, .most_alive = 9, .within = limits}),
        total);
    sennit::graph::trace seen;
    EXPECT_EQ(graph::run(1, graph::nodes{.predecessors = tree,
                                         .compute = sum,
                                         .color = [](int k) { return k % 2; },
                                         .coloring = {.of = graph::places::workers},
                                         .trace = &seen,
                                         .within = limits}),
              total);
    EXPECT_EQ(seen.nodes().size(), 199U);
    EXPECT_EQ(graph::run(1, graph::nodes{.predecessors = tree,
                                         .compute = sum,
                                         .priority = [](int k) { return k; },
                                         .within = limits}),
              total);
    EXPECT_EQ(graph::replay(graph::schedule(seen), sennit::relaxed, 1,
                            graph::nodes{.predecessors = tree, .compute = sum, .within = limits}),
              total);
    EXPECT_EQ(alone, 5 * 199);
    EXPECT_EQ(inside.most(), 1);
    EXPECT_EQ(a.free() + b.free() + c.free(), 4U);
  });
}

// Catches: a worker, or a strand with its stack, that waits for a permit although there are nodes that need none.
TEST(within, one_worker_does_other_nodes_meanwhile) {
  limit one(1);
  std::atomic<int> others{0};
  std::atomic<bool> held{false};
  std::thread holder([&] {
    const limit::permit alone(one);
    held = true;
    while (others < count) std::this_thread::yield();
  });
  while (!held) std::this_thread::yield();
  sennit::runtime single({.workers = 1});
  int within_it = 0;
  single.run([&] {
    graph::run(2 * count, graph::nodes{.predecessors = [](int k) { return below(k, 2 * count); },
                                       .compute = [&](int k) { k % 2 == 0 ? ++others : ++within_it; },
                                       .within = [&](int k) { return k % 2 == 0 ? nullptr : &one; }});
  });
  holder.join();
  EXPECT_EQ(within_it, count);
}

// Catches: runs of several runtimes and graphs that share a limit, one of which is not told that it may go on.
TEST(within, is_shared_by_runtimes) {
  limit two(2);
  crowd inside;
  std::vector<std::thread> callers;
  for (const unsigned workers : {1U, 2U, 3U}) {
    callers.emplace_back([&, workers] {
      sennit::runtime mine({.workers = workers});
      mine.run([&] {
        for (int round = 0; round < 3; ++round) {
          graph::run(count, graph::nodes{.predecessors = before,
                                         .compute = [&](int) { inside.visit(); },
                                         .within = [&](int) { return &two; }});
        }
      });
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(inside.visits(), 9 * (count + 1));
  EXPECT_LE(inside.most(), 2);
  EXPECT_EQ(two.free(), 2U);
}

// Catches: a task of a flow that runs without its permits, twice or never; tasks that wait for each other's limits and exclusions;
// what comes after a task that waited, and is not run, or too early.
TEST(within, bounds_tasks_of_flows) {
  with_workers([] {
    limit one(1);
    limit two(2);
    for (int round = 0; round < 3; ++round) {
      crowd inside;
      int alone = 0;  // of those within `one`; not atomic
      int excluded = 0;
      std::vector<int> cells(40);
      graph::task_flow flow;
      for (int i = 0; i < 200; ++i) {
        int& cell = cells[static_cast<std::size_t>(i) % cells.size()];
        const auto visit = [&, i] {
          inside.visit();
          if (i % 2 == 0) ++alone;
          if (i % 4 == 1) ++excluded;
          cell += i;
        };
        sennit::effects fx(sennit::writes(sennit::memory_range(&cell, 1)));
        if (i % 4 == 1) fx += sennit::effects(sennit::excludes(sennit::memory_range(&excluded, 1)));
        graph::flow_task_options how{.name = "visit", .priority = round == 1 ? i % 5 : 0};
        how.within = i % 2 == 0 ? sennit::limits(two, one) : sennit::limits(two);
        flow.submit(fx, visit, how);
      }
      flow.wait();
      EXPECT_EQ(inside.visits(), 200);
      EXPECT_LE(inside.most(), 2);
      EXPECT_EQ(alone, 100);
      EXPECT_EQ(excluded, 50);
      EXPECT_EQ(cells[3], 3 + 43 + 83 + 123 + 163);
      EXPECT_EQ(one.free() + two.free(), 3U);
    }
  });
}

// Catches: a flow that takes itself for done while its tasks wait for what others have; followers of such a task that wait for
// strands that have ended.
TEST(within, a_flow_waits_for_a_thread_outside) {
  for (int round = 0; round < scaled(20); ++round) {
    limit one(1);
    std::atomic<bool> held{false};
    std::atomic<int> others{0};
    std::thread holder([&] {
      const limit::permit alone(one);
      held = true;
      while (others < 20) std::this_thread::yield();
    });
    while (!held) std::this_thread::yield();
    sennit::runtime two_workers({.workers = 2});
    int within_it = 0;
    std::atomic<int> after{0};
    two_workers.run([&] {
      std::vector<int> cells(20);
      graph::task_flow flow;
      for (int i = 0; i < 20; ++i) {
        int& cell = cells[static_cast<std::size_t>(i)];
        flow.submit(sennit::writes(sennit::memory_range(&cell, 1)), [&] { ++within_it; }, {.within = one});
        for (int reader = 0; reader < 5; ++reader)
          flow.submit(sennit::reads(sennit::memory_range(&cell, 1)), [&] { ++after; });
      }
      for (int i = 0; i < 20; ++i) flow.submit(sennit::effects(), [&] { ++others; });
      flow.wait();
    });
    holder.join();
    EXPECT_EQ(within_it, 20);
    EXPECT_EQ(after, 100);
  }
}

#if SENNIT_EXCEPTIONS
// Catches: a failed or cancelled flow that keeps permits, or whose tasks wait on.
TEST(within, a_failed_or_cancelled_flow_waits_for_no_permit) {
  with_workers([] {
    limit one(1);
    graph::task_flow flow;
    for (int i = 0; i < 100; ++i) {
      flow.submit(sennit::effects(),
                  [i] {
                    if (i == 50) throw std::runtime_error("no page");
                  },
                  {.within = one});
    }
    EXPECT_THROW(flow.wait(), graph::node_error);
    EXPECT_EQ(one.free(), 1U);
  });
  for (int round = 0; round < scaled(20); ++round) {
    limit one(1);
    sennit::region whole;
    const limit::permit taken(one);
    std::thread other([&] {
      std::this_thread::yield();
      whole.cancel();
    });
    sennit::runtime two_workers({.workers = 2});
    two_workers.run([&] {
      EXPECT_FALSE(whole.run([&] {
        graph::task_flow flow;
        for (int i = 0; i < 20; ++i) flow.submit(sennit::effects(), [] {}, {.within = one});
        flow.wait();
      }));
    });
    other.join();
  }
}

// Catches: a permit that a failed node keeps; a run that ends only when those outside it leave the limit; a limit's list with
// nodes of a run that has ended.
TEST(within, a_failed_or_cancelled_run_waits_for_no_permit) {
  with_workers([] {
    limit one(1);
    limit other(1);
    EXPECT_THROW(graph::run(count, graph::nodes{.predecessors = before,
                                                .compute =
                                                    [](int k) {
                                                      if (k == 50) throw std::runtime_error("no page");
                                                    },
                                                .within = [&](int) { return &one; }}),
                 graph::node_error);
    EXPECT_EQ(one.free(), 1U);
    {
      // All nodes but one wait for what only this strand can give back.
      const limit::permit taken(one);
      EXPECT_THROW(graph::run(count, graph::nodes{.predecessors = before,
                                                  .compute =
                                                      [](int k) {
                                                        if (k == 0) throw std::runtime_error("no page");
                                                      },
                                                  .within = [&](int k) -> std::vector<limit*> {
                                                    return k == 0 ? std::vector<limit*>()
                                                                  : std::vector{&other, &one};
                                                  }}),
                   graph::node_error);
      EXPECT_EQ(other.free(), 1U);
      EXPECT_THROW(graph::run(count, graph::nodes{.predecessors = before,
                                                  .compute = [](int) {},
                                                  .within = [](int k) -> limit* {
                                                    if (k == 20) throw std::runtime_error("which limit");
                                                    return nullptr;
                                                  }}),
                   graph::node_error);
    }
  });
}

// Catches: a run all of whose nodes wait, and that is not told of its cancellation.
TEST(within, a_cancelled_run_that_waits_alone_ends) {
  for (int round = 0; round < scaled(20); ++round) {
    limit one(1);
    sennit::region whole;
    const limit::permit taken(one);
    std::thread other([&] {
      std::this_thread::yield();
      whole.cancel();
    });
    sennit::runtime two_workers({.workers = 2});
    two_workers.run([&] {
      EXPECT_FALSE(whole.run([&] {
        graph::run(
            count,
            graph::nodes{.predecessors = before, .compute = [](int) {}, .within = [&](int) { return &one; }});
      }));
    });
    other.join();
  }
}
#endif

}  // namespace
}  // namespace sennit_test
