// SPDX-License-Identifier: Apache-2.0
// task_graph: graphs as tasks of other graphs.
#include "support.hpp"

#include <sennit/task_graph.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace sennit_test {
namespace {

using graph::task;
using graph::task_graph;

// Catches: a graph within another that runs too early, or not at all in the second run.
TEST(task_compose, runs_a_graph_as_a_task) {
  with_workers([] {
    std::string seen;
    std::atomic<int> inner{0};
    task_graph f1;
    const auto a = f1.add([&] { ++inner; });
    const auto b = f1.add([&] { ++inner; });
    f1.add([&] {
        seen += 'i';
        EXPECT_EQ(inner % 2, 0);
      }).after(a, b);
    task_graph f2;
    const auto first = f2.add([&] { seen += 'a'; });
    const auto part = f2.add(f1).name("part");
    const auto last = f2.add([&] { seen += 'z'; });
    part.after(first).before(last);
    f2.run_n(3);
    EXPECT_EQ(seen, "aizaizaiz");
    f1.run();
    EXPECT_EQ(seen, "aizaizaizi");
  });
}

// Catches: two runs of one graph at the same time, from two places of one graph or of two.
TEST(task_compose, runs_a_graph_in_several_places_one_after_the_other) {
  with_workers([] {
    task_graph part;
    int inside = 0;
    int runs = 0;
    const auto begin = part.add([&] { EXPECT_EQ(++inside, 1); });
    begin.before(part.add([&] {
      --inside;
      ++runs;
    }));
    task_graph middle;
    middle.add(part);
    middle.add(part);
    task_graph whole;
    for (int i = 0; i < 5; ++i) whole.add(part);
    whole.add(middle);
    const auto other = whole.add(middle);
    whole.add(part).after(other);
    for (int round = 1; round <= scaled(20); ++round) {
      whole.run();
      EXPECT_EQ(runs, round * 10);
    }
  });
}

// Catches: a graph that runs itself until the stack is used up.
TEST(task_compose, refuses_a_graph_within_itself) {
  task_graph a;
  task_graph b;
  task_graph c;
  EXPECT_THROW(a.add(a), std::invalid_argument);
  a.add(b);
  b.add(c);
  EXPECT_THROW(c.add(a), std::invalid_argument);
  EXPECT_THROW(b.add(a), std::invalid_argument);
  EXPECT_EQ(c.size(), 0U);
  c.add([] {});
  a.run();
}

// Catches: tasks that end with their graph although another graph runs them.
TEST(task_compose, keeps_the_tasks_of_graphs_that_have_ended) {
  std::weak_ptr<int> watched;
  int sum = 0;
  {
    task_graph whole;
    {
      task_graph part;
      auto one = std::make_shared<int>(1);
      watched = one;
      part.add([&sum, one = std::move(one)] { sum += *one; });
      whole.add(part);
      task_graph moved(std::move(part));
      whole.add(moved);
    }
    whole.run();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_EQ(sum, 2);
  EXPECT_TRUE(watched.expired());
}

// Catches: an error whose text names one of the two levels only.
TEST(task_compose, names_the_graph_and_the_task_that_threw) {
  with_workers([] {
    task_graph part;
    bool bad = true;
    part.add([&] {
          if (bad) throw std::runtime_error("line 3");
        })
        .name("parse");
    task_graph whole;
    int after = 0;
    whole.add(part).name("input").before(whole.add([&] { ++after; }));
    EXPECT_EQ(text_of<graph::node_error>([&] { whole.run(); }),
              "sennit: running the task \"input\": sennit: running the task \"parse\": line 3");
    bad = false;
    whole.run();
    EXPECT_EQ(after, 1);
  });
}

// Catches: a loop around a graph that finds the graph's counts as its last turn left them.
TEST(task_compose, loops_around_a_graph) {
  with_workers([] {
    task_graph part;
    int work = 0;
    int turns = 0;
    const auto begin = part.add([&] { work = 0; });
    const auto step = part.choose([&] { return ++work < 7 ? 0 : 1; });
    begin.before(step);
    step.before(step);
    task_graph whole;
    const auto source = whole.add([&] { turns = 0; });
    const auto body = whole.add(part);
    const auto again = whole.choose([&] { return ++turns < 20 ? 0 : 1; });
    source.before(body);
    body.before(again);
    again.before(body);
    whole.run_n(3);
    EXPECT_EQ(work, 7);
    EXPECT_EQ(turns, 20);
  });
}

}  // namespace
}  // namespace sennit_test
