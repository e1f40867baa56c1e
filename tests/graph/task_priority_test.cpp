// SPDX-License-Identifier: Apache-2.0
// task_graph: priorities, colors and traces.
#include "support.hpp"

#include <sennit/graph_trace.hpp>
#include <sennit/runtime.hpp>
#include <sennit/task_graph.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using graph::task;
using graph::task_graph;
using names = std::vector<std::string>;

task<> note(task_graph& g, names& seen, const char* name) {
  return g.add([&seen, name] { seen.emplace_back(name); }).name(name);
}

// Catches: a task that comes after one of lower priority though both were ready.
TEST(task_priority, the_highest_comes_first) {
  sennit::runtime rt(1);
  task_graph g;
  names seen;
  const auto first = note(g, seen, "first");
  first.before(note(g, seen, "low").priority(-1), note(g, seen, "middle"), note(g, seen, "high").priority(7));
  note(g, seen, "last").priority(-2);
  rt.run([&] { g.run_n(2); });
  EXPECT_EQ(seen,
            (names{"first", "high", "middle", "low", "last", "first", "high", "middle", "low", "last"}));
}

// Catches: a path that is measured by its number of tasks, or from its wrong end.
TEST(task_priority, follows_the_longest_path) {
  sennit::runtime rt(1);
  task_graph g;
  names seen;
  const auto begin = note(g, seen, "begin");
  const auto a = note(g, seen, "a").after(begin).cost(1);
  note(g, seen, "b").after(a).cost(1);
  const auto c = note(g, seen, "c").after(begin).cost(5);
  note(g, seen, "d").after(c).cost(0);
  note(g, seen, "e").after(begin).cost(3);
  g.prioritize_longest_path();
  rt.run([&] { g.run(); });
  EXPECT_EQ(seen, (names{"begin", "c", "e", "a", "b", "d"}));
  EXPECT_THROW(a.cost(-1), std::invalid_argument);
}

// Catches: times of a recorded run that go to other tasks.
TEST(task_priority, follows_what_a_recorded_run_took) {
  sennit::runtime rt(1);
  task_graph g;
  names seen;
  const auto begin = note(g, seen, "begin");
  for (const char* name : {"short", "long", "other"}) {
    g.add([&seen, name] {
       seen.emplace_back(name);
       if (seen.back() == "long") std::this_thread::sleep_for(std::chrono::milliseconds(3));
     })
        .name(name)
        .after(begin);
  }
  graph::trace before;
  rt.run([&] { g.run(before); });
  g.prioritize_longest_path(before);
  seen.clear();
  rt.run([&] { g.run(); });
  EXPECT_EQ(seen[1], "long");
}

// Catches: a worker that takes what has a lower priority, because another worker has the queue with the other task.
TEST(task_priority, is_one_order_for_all_workers) {
  sennit::runtime rt(2);
  task_graph g;
  std::mutex lock;
  std::vector<int> order;
  const auto begin = g.add([] {});
  for (int i = 0; i < 100; ++i) {
    g.add([&, i] {
       const std::lock_guard guard(lock);
       order.push_back(i);
     })
        .priority(i)
        .after(begin);
  }
  rt.run([&] { g.run(); });
  ASSERT_EQ(order.size(), 100U);
  // A worker may take a task and be late to say so.
  std::size_t early = 0;
  for (std::size_t i = 0; i < order.size(); ++i) early += order[i] > 90 - static_cast<int>(i) ? 1 : 0;
  EXPECT_GE(early, 75U);
}

// Catches: priorities that lose tasks where queues are shared.
TEST(task_priority, holds_with_several_workers) {
  with_workers([] {
    task_graph g;
    std::atomic<int> ran{0};
    const auto begin = g.add([] {});
    const auto end = g.add([&] { EXPECT_EQ(ran % 500, 0); });
    for (int i = 0; i < 500; ++i) g.add([&] { ++ran; }).priority(i * 7 % 13).after(begin).before(end);
    g.run_n(static_cast<std::size_t>(scaled(20)));
    EXPECT_EQ(ran, 500 * scaled(20));
  });
}

// Catches: colors that lose tasks; a color that is no place's taken for one.
TEST(task_priority, colors_are_a_preference) {
  with_workers([] {
    task_graph g;
    g.color_by({.of = graph::places::workers});
    std::atomic<int> ran{0};
    std::vector<task<>> row;
    for (unsigned i = 0; i < 300; ++i) {
      const auto t = g.add([&] { ++ran; }).color(i % 5);
      if (i % 3 == 0) t.priority(static_cast<int>(i % 7));
      if (i >= 10) t.after(row[i - 10], row[i - 7]);
      row.push_back(t);
    }
    g.run_n(5);
    EXPECT_EQ(ran, 1500);
  });
  task_graph g;
  EXPECT_THROW(g.color_by({.patience = -1}), std::invalid_argument);
}

// Catches: a trace without names or edges, or with those of an earlier run.
TEST(task_priority, a_trace_has_names_and_edges) {
  with_workers([] {
    task_graph g;
    const auto load = g.add([] { return 1; }).name("load");
    const auto half = g.add([](int) {}, load).name("half");
    const auto plain = g.add([] {}).after(half, load);
    graph::trace seen;
    for (int round = 0; round < 2; ++round) {
      g.run(seen);
      ASSERT_EQ(seen.nodes().size(), 3U);
      EXPECT_EQ(seen.nodes()[0].key, "load");
      EXPECT_EQ(seen.nodes()[1].key, "half");
      EXPECT_EQ(seen.nodes()[2].key, std::to_string(plain.number()));
      EXPECT_EQ(seen.nodes()[1].predecessors, (std::vector<std::uint32_t>{0}));
      EXPECT_EQ(seen.nodes()[2].predecessors, (std::vector<std::uint32_t>{0, 1}));
      EXPECT_FALSE(seen.colors());
    }
    EXPECT_TRUE(graph::trace::from_bytes(seen.to_bytes()) == seen);
  });
}

// Catches: turns of a loop that are missing, and colors.
TEST(task_priority, a_trace_has_each_turn_of_a_loop) {
  task_graph g;
  int turns = 0;
  const auto begin = g.add([] {}).color(0);
  const auto again = g.choose([&] { return ++turns < 5 ? 0 : 1; }).name("again");
  begin.before(again);
  again.before(again);
  graph::trace seen;
  g.run(seen);
  EXPECT_EQ(seen.nodes().size(), 6U);
  EXPECT_EQ(
      std::count_if(seen.nodes().begin(), seen.nodes().end(), [](const auto& n) { return n.key == "again"; }),
      5);
  ASSERT_TRUE(seen.colors());
  EXPECT_EQ(seen.nodes()[0].colors, (std::vector<std::uint32_t>{0}));
}

// Catches: a longest path that is no number.
TEST(task_priority, costs_are_finite) {
  task_graph g;
  const auto t = g.add([] {});
  EXPECT_THROW(t.cost(std::numeric_limits<double>::infinity()), std::invalid_argument);
  EXPECT_THROW(t.cost(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  EXPECT_THROW(t.cost(-1), std::invalid_argument);
  t.cost(std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace sennit_test
