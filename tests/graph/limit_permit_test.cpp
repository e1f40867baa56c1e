// SPDX-License-Identifier: Apache-2.0
// limit::permit: strands and threads that wait for a permit, and block no worker.
#include "crowd.hpp"
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/effects.hpp>
#include <sennit/graph.hpp>
#include <sennit/join.hpp>
#include <sennit/limit.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/region.hpp>
#include <sennit/replay.hpp>
#include <sennit/runtime.hpp>
#include <sennit/schedule.hpp>
#include <sennit/task_flow.hpp>
#include <sennit/task_graph.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using sennit::limit;

// Catches: a permit that two have; a strand that waits and is not let go on; a worker that is blocked by it.
TEST(limit_permit, bounds_iterations) {
  with_workers([] {
    for (const std::size_t most : {1, 2, 3}) {
      limit l(most);
      crowd inside;
      sennit::parallel_for(0, 300, [&](int) {
        const limit::permit one(l);
        inside.visit();
      });
      EXPECT_EQ(inside.visits(), 300);
      EXPECT_LE(inside.most(), static_cast<int>(most));
      EXPECT_EQ(l.free(), most);
    }
  });
}

// Catches: a limit of one that two are in; what one wrote, and the next does not see.
TEST(limit_permit, of_one_is_a_mutex) {
  with_workers([] {
    limit one(1);
    int count = 0;  // not atomic
    sennit::parallel_for(0, 2000, [&](int i) {
      const limit::permit alone(one);
      if (i % 16 == 0) sennit::join([] {}, [] {});
      ++count;
    });
    EXPECT_EQ(count, 2000);
  });
}

// Catches: permits of several limits that are taken in the order of the call, so that two strands wait for each other; one limit
// that is named twice and taken twice.
TEST(limit_permit, of_several_limits_locks_nobody_up) {
  with_workers([] {
    limit a(1);
    limit b(1);
    limit c(2);
    int count = 0;  // not atomic
    sennit::parallel_for(0, 600, [&](int i) {
      const auto visit = [&] {
        sennit::join([] {}, [] {});
        ++count;
      };
      if (i % 3 == 0) {
        const limit::permit all(a, b, c);
        visit();
      } else if (i % 3 == 1) {
        const limit::permit all(c, b, a);
        visit();
      } else {
        const limit::permit all(b, a, b);
        visit();
      }
    });
    EXPECT_EQ(count, 600);
    EXPECT_EQ(a.free() + b.free() + c.free(), 4U);
  });
}

// Catches: nodes and tasks that lie in the queue of a strand that waits, and are not on offer any more.
TEST(limit_permit, bounds_nodes_and_tasks_of_flows_and_graphs_together) {
  with_workers([] {
    limit two(2);
    crowd inside;
    const auto visit = [&] {
      const limit::permit one(two);
      inside.visit();
    };
    const auto before = [](int k) {
      std::vector<int> keys;
      for (int p = 0; k == 100 && p < 100; ++p) keys.push_back(p);
      return keys;
    };
    sennit::join(
        [&] { graph::run(100, graph::nodes{.predecessors = before, .compute = [&](int) { visit(); }}); },
        [&] {
          graph::task_graph g;
          for (int i = 0; i < 50; ++i) g.add([&] { inside.visit(); }).within(two);
          graph::task_flow flow;
          int cell = 0;
          for (int i = 0; i < 50; ++i) flow.submit(sennit::adds(sennit::memory_range(&cell, 1)), visit);
          g.run();
          flow.wait();
        });
    EXPECT_EQ(inside.visits(), 201);
    EXPECT_LE(inside.most(), 2);
    EXPECT_EQ(two.free(), 2U);
  });
}

// Catches: a thread that runs no strand, and never gets a permit or blocks one that does.
TEST(limit_permit, is_for_threads_too) {
  limit one(1);
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const limit::permit alone(one);
        ++count;
      }
    });
  }
  sennit::runtime two_workers({.workers = 2});
  two_workers.run([&] {
    sennit::parallel_for(0, 100, [&](int) {
      const limit::permit alone(one);
      ++count;
    });
  });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(count, 300);
}

#if SENNIT_EXCEPTIONS
// Catches: a permit that is kept where its holder throws, or where the region of those that wait is cancelled.
TEST(limit_permit, comes_back_when_its_holder_throws_or_is_cancelled) {
  with_workers([] {
    limit one(1);
    EXPECT_THROW(sennit::parallel_for(0, 100,
                                      [&](int i) {
                                        const limit::permit alone(one);
                                        if (i == 50) throw std::runtime_error("no page");
                                      }),
                 std::runtime_error);
    EXPECT_EQ(one.free(), 1U);
    sennit::region whole;
    EXPECT_FALSE(whole.run([&] {
      sennit::parallel_for(0, 100, [&](int i) {
        const limit::permit alone(one);
        if (i == 50) whole.cancel();
      });
    }));
    EXPECT_EQ(one.free(), 1U);
  });
}
#endif

// Catches: strands that wait while workers begin more and more of them, each with a stack, until the process has no more
// memory maps; it never came to an end with two workers.
TEST(limit_permit, is_short_and_wanted_by_all_iterations) {
  for (const unsigned workers : {2U, 3U, 8U}) {
    sennit::runtime rt({.workers = workers});
    limit one(1);
    long count = 0;
    const int n = scaled(50'000);
    rt.run([&] {
      sennit::parallel_for(n, [&](int) {
        const limit::permit alone(one);
        ++count;
      });
    });
    EXPECT_EQ(count, n) << workers;
  }
}

// Catches: tasks and nodes that wait for a permit in a recorded region, and go on in a branch that the record has not.
TEST(limit_permit, tasks_within_limits_go_with_records) {
  with_workers([] {
    limit one(1);
    std::atomic<int> count{0};
    const auto flow = [&] {
      sennit::graph::task_flow tasks;
      for (int i = 0; i < 20; ++i) tasks.submit(sennit::effects(), [&] { ++count; }, {.within = one});
      tasks.wait();
    };
    const auto graph = [&] {
      graph::run(20, graph::nodes{.predecessors = [](int k) { return std::vector<int>(k > 0, k - 1); },
                                  .compute = [&](int) { ++count; },
                                  .within = [&](int) { return &one; }});
    };
    const auto program = [&] {
      sennit::join([&] { sennit::join(flow, flow); }, [&] { sennit::join(graph, graph); });
    };
    for (int round = 0; round < 5; ++round) {
      const sennit::schedule seen = sennit::record(program);
      sennit::replay(seen, sennit::relaxed, program);
      sennit::replay(seen, sennit::strict_unordered, program);
    }
    EXPECT_EQ(count, 5 * 3 * 82);
    EXPECT_EQ(one.free(), 1U);
  });
}

// Catches: the branch that lets a strand go on, and that a record does not have.
TEST(limit_permit, goes_with_records) {
  const auto test = [] {
    for (int round = 0; round < scaled(30); ++round) {
      limit one(1);
      int count = 0;
      const auto program = [&] {
        sennit::parallel_for(0, 200, [&](int) {
          const limit::permit alone(one);
          sennit::join([] {}, [] {});
          ++count;
        });
      };
      const sennit::schedule seen = sennit::record(program);
      sennit::replay(seen, sennit::relaxed, program);
      sennit::replay(seen, sennit::strict_unordered, program);
      ASSERT_EQ(count, 600);
    }
  };
  test();
  with_workers(test);
}

}  // namespace
}  // namespace sennit_test
