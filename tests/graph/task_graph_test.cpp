// SPDX-License-Identifier: Apache-2.0
// task_graph: tasks with names, edges and values, as users of other task graph libraries write them.
#include "support.hpp"

#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/region.hpp>
#include <sennit/task_graph.hpp>
#include <sennit/task_group.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

using graph::task;
using graph::task_graph;

// Catches: an edge that is dropped or turned around.
TEST(task_graph, orders_the_tasks_of_a_diamond) {
  with_workers([] {
    task_graph g;
    std::vector<std::string> seen;
    std::atomic<int> middle{0};
    auto a = g.add([&] { seen.emplace_back("a"); }).name("a");
    auto b = g.add([&] { ++middle; }).name("b");
    auto c = g.add([&] { ++middle; }).name("c");
    auto d = g.add([&] {
                seen.emplace_back("d");
                EXPECT_EQ(middle, 2);
              }).name("d");
    a.before(b, c);
    d.after(b, c);
    for (int round = 0; round < 3; ++round) {
      middle = 0;
      seen.clear();
      g.run();
      EXPECT_EQ(seen, (std::vector<std::string>{"a", "d"}));
    }
    EXPECT_EQ(g.size(), 4U);
    EXPECT_EQ(g.edge_count(), 4U);
    EXPECT_EQ(b.name(), "b");
  });
}

// Catches: a task that runs before one of its predecessors, or twice, in graphs of any shape.
TEST(task_graph, runs_random_graphs_again_and_again) {
  with_workers([] {
    for (std::uint32_t seed = 0; seed < scaled(20U); ++seed) {
      std::mt19937 random(seed);
      task_graph g;
      std::vector<std::vector<int>> before(200);
      ledger* now = nullptr;
      std::vector<task<>> tasks;
      for (std::size_t i = 0; i < before.size(); ++i) {
        tasks.push_back(g.add([&, i] { now->compute(i, before[i]); }));
        for (unsigned e = random() % 4; e > 0 && i > 0; --e) {
          const auto p = random() % i;
          tasks[p].before(tasks[i]);
          before[i].push_back(static_cast<int>(p));
        }
      }
      for (int round = 0; round < 3; ++round) {
        ledger done(before.size());
        now = &done;
        g.run();
        EXPECT_EQ(done.early(), 0U) << "seed " << seed;
        for (const std::uint32_t times : done.computed()) EXPECT_EQ(times, 1U) << "seed " << seed;
      }
    }
  });
}

// Catches: handles that refer to where the graph was; functions that are copied.
TEST(task_graph, is_moved_with_its_tasks) {
  task_graph first;
  int sum = 0;
  auto one = std::make_unique<int>(1);
  auto a = first.add([&, one = std::move(one)] { sum += *one; });
  task_graph second(std::move(first));
  auto b = second.add([&] { sum *= 10; });
  a.before(b);
  second.run();
  EXPECT_EQ(sum, 10);
  EXPECT_THROW(first.run(), std::logic_error);
  first = std::move(second);
  first.add([&] { sum += 5; }).after(b);
  first.run();
  EXPECT_EQ(sum, 115);
}

// Catches: a run that has no tasks to wait for, and waits.
TEST(task_graph, may_be_empty) {
  task_graph g;
  g.run();
  g.run_n(3);
  EXPECT_EQ(g.size(), 0U);
}

// Catches: a run too many, or a function that is asked after the run.
TEST(task_graph, runs_until_it_is_told_to_stop) {
  with_workers([] {
    task_graph g;
    int runs = 0;
    g.add([&] { ++runs; });
    g.run_n(4);
    EXPECT_EQ(runs, 4);
    int left = 3;
    g.run_until([&] { return left-- == 0; });
    EXPECT_EQ(runs, 7);
    g.run_until([] { return true; });
    // Catches: runs without end for want of a function that says when.
    EXPECT_THROW(g.run_until(nullptr), std::invalid_argument);
    EXPECT_THROW((void)g.async_until(nullptr), std::invalid_argument);
    EXPECT_EQ(runs, 7);
  });
}

// Catches: an error without the task's name; a graph that is spoiled by it; tasks that begin after it.
TEST(task_graph, names_the_task_that_threw) {
  with_workers([] {
    task_graph g;
    bool bad = true;
    std::atomic<int> after{0};
    auto load = g.add([] {}).name("load");
    auto parse = g.add([&] {
                    if (bad) throw std::runtime_error("line 3");
                  }).name("parse");
    auto store = g.add([&] { ++after; });
    load.before(parse);
    parse.before(store);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(text_of<graph::node_error>([&] { g.run(); }), "sennit: running the task \"parse\": line 3");
      EXPECT_EQ(after, 0);
    }
    const std::exception_ptr nested = nested_in_what_is_thrown([&] { g.run(); });
    ASSERT_TRUE(nested);
    EXPECT_THROW(std::rethrow_exception(nested), std::runtime_error);
    bad = false;
    g.run();
    EXPECT_EQ(after, 1);
  });
}

// Catches: a run that is let in while another one counts.
TEST(task_graph, runs_once_at_a_time_and_is_not_changed_meanwhile) {
  task_graph g;
  task<> t;
  t = g.add([&] {
    EXPECT_THROW(g.run(), std::logic_error);
    EXPECT_THROW(g.add([] {}), std::logic_error);
    EXPECT_THROW(t.name("other"), std::logic_error);
    EXPECT_THROW(t.before(t), std::logic_error);
  });
  g.run();
  EXPECT_EQ(g.size(), 1U);
}

// Catches: a hang, or numbers where there are names.
TEST(task_graph, names_the_tasks_of_a_cycle) {
  task_graph g;
  auto a = g.add([] { FAIL(); }).name("a");
  auto b = g.add([] { FAIL(); }).name("b");
  a.before(b);
  b.before(a);
  try {
    g.run();
    FAIL() << "it ran";
  } catch (const graph::cycle_error<std::string>& e) {
    std::vector<std::string> names = e.keys();
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  }
  EXPECT_THROW(a.before(a), graph::cycle_error<std::string>);
}

// Catches: handles that are used without a look.
TEST(task_graph, refuses_handles_of_no_task_or_of_another_graph) {
  task_graph g;
  task_graph other;
  auto a = g.add([] {}).name("here");
  auto b = other.add([] {}).name("there");
  EXPECT_NE(text_of<std::invalid_argument>([&] { a.before(b); }).find("\"there\""), std::string::npos);
  EXPECT_THROW(a.after(b), std::invalid_argument);
  const task<> none;
  EXPECT_FALSE(none);
  EXPECT_THROW(a.before(none), std::logic_error);
  EXPECT_THROW(none.before(a), std::logic_error);
  EXPECT_THROW(none.name("x"), std::logic_error);
}

// Catches: a task that comes back from a wait on another worker, and goes on with the queue of the first.
TEST(task_graph, has_tasks_that_fork_and_loop) {
  with_workers([] {
    task_graph g;
    std::vector<int> squares(1000);
    int left = 0;
    int right = 0;
    std::atomic<int> children{0};
    auto fill = g.add(
        [&] { sennit::parallel_for(0, 1000, [&](int i) { squares[static_cast<std::size_t>(i)] = i * i; }); });
    auto fork = g.add([&] { sennit::join([&] { left = 1; }, [&] { right = 2; }); });
    auto spawn = g.add([&] {
      sennit::task_group group;
      for (int i = 0; i < 100; ++i) group.spawn([&] { ++children; });
      group.wait();
    });
    g.add([&] {
       EXPECT_EQ(squares[999], 999 * 999);
       EXPECT_EQ(left + right, 3);
       EXPECT_EQ(children, 100);
     }).after(fill, fork, spawn);
    for (int round = 0; round < scaled(20); ++round) {
      children = 0;
      g.run();
    }
  });
}

// Catches: a cancelled run that is taken for a complete one, or spoils the next.
TEST(task_graph, ends_with_its_region) {
  with_workers([] {
    task_graph g;
    sennit::region r;
    std::atomic<int> ran{0};
    auto first = g.add([&] {
      ++ran;
      r.cancel();
    });
    for (int i = 0; i < 100; ++i) g.add([&] { ++ran; }).after(first);
    EXPECT_FALSE(r.run([&] { g.run(); }));
    EXPECT_LT(ran, 101);
    ran = 0;
    g.run();
    EXPECT_EQ(ran, 101);
  });
}

// Catches: a task that stays, although making it threw, and reads what another graph has freed.
TEST(task_graph, has_no_task_that_reads_another_graph) {
  task_graph g;
  task_graph other;
  const auto value = other.add([] { return 1; });
  int ran = 0;
  EXPECT_THROW(g.add([&](int) { ++ran; }, value), std::invalid_argument);
  EXPECT_EQ(g.size(), 0U);
  g.add([&] { ++ran; });
  g.run();
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace sennit_test
