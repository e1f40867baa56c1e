// SPDX-License-Identifier: Apache-2.0
// limit: at most so many tasks at a time, of one task_graph or of several.
#include "crowd.hpp"
#include "support.hpp"

#include <sennit/join.hpp>
#include <sennit/limit.hpp>
#include <sennit/task_graph.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using graph::pending_run;
using graph::task;
using graph::task_graph;
using sennit::limit;

// Catches: two tasks within a limit of 1; a permit that is lost; tasks that wait for ever.
TEST(task_limit, of_one_makes_a_critical_section) {
  with_workers([] {
    task_graph g;
    limit one(1);
    int counter = 0;
    for (int i = 0; i < 1000; ++i) {
      g.add([&] {
         sennit::join([] {}, [] {});
         ++counter;
       }).within(one);
    }
    g.run_n(4);
    EXPECT_EQ(counter, 4000);
    EXPECT_EQ(one.free(), 1U);
  });
}

// Catches: a limit that admits more than it should, or never as many.
TEST(task_limit, admits_as_many_as_it_says) {
  with_workers([] {
    task_graph g;
    limit three(3);
    crowd inside;
    for (int i = 0; i < scaled(200); ++i) g.add([&] { inside.visit(); }).within(three);
    g.run();
    EXPECT_LE(inside.most(), 3);
    EXPECT_EQ(inside.visits(), scaled(200));
    EXPECT_EQ(three.free(), 3U);
    EXPECT_EQ(three.most(), 3U);
  });
}

// Catches: tasks that enter limits in different orders, and wait for one another.
TEST(task_limit, overlaps_others_without_a_deadlock) {
  with_workers([] {
    task_graph g;
    limit one(1);
    limit four(4);
    limit two(2);
    std::atomic<int> ran{0};
    for (int i = 0; i < 300; ++i) {
      const auto t = g.add([&] {
        sennit::join([] { std::this_thread::yield(); }, [] {});
        ++ran;
      });
      if (i % 2 == 0) {
        t.within(one, four, two);
      } else {
        t.within(two).within(four).within(two);
      }
    }
    g.run_n(2);
    EXPECT_EQ(ran, 600);
    for (const limit* l : {&one, &two, &four}) EXPECT_EQ(l->free(), l->most());
  });
}

// Catches: philosophers who starve, or eat with the fork of a neighbor who eats.
TEST(task_limit, lets_philosophers_dine) {
  with_workers([] {
    constexpr std::size_t n = 5;
    std::deque<limit> forks;
    for (std::size_t i = 0; i < n; ++i) forks.emplace_back(1);
    std::array<int, n> uses{};
    std::array<int, n> meals{};
    task_graph g;
    for (std::size_t i = 0; i < n; ++i) {
      int* const left = &uses[i];
      int* const right = &uses[(i + 1) % n];
      const auto eat = g.choose([&meals, left, right, i] {
        ++*left;
        ++*right;
        return ++meals[i] < 100 ? 0 : 1;
      });
      eat.within(forks[i], forks[(i + 1) % n]);
      g.add([] {}).before(eat);
      eat.before(eat);
    }
    g.run();
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(meals[i], 100);
      EXPECT_EQ(uses[i], 200);
    }
  });
}

// Catches: exclusion that also keeps apart tasks which do not conflict.
TEST(task_limit, excludes_tasks_that_conflict) {
  with_workers([] {
    task_graph g;
    int ab = 0;
    int ac = 0;
    const auto a = g.add([&] {
      ++ab;
      ++ac;
    });
    const auto b = g.add([&] { ++ab; });
    const auto c = g.add([&] { ++ac; });
    g.exclude(a, b);
    g.exclude(a, c);
    g.run_n(200);
    EXPECT_EQ(ab, 400);
    EXPECT_EQ(ac, 400);
  });
}

// Catches: a chain of limits in which each task holds what the next one needs.
TEST(task_limit, ten_thousand_in_a_row) {
  with_workers([] {
    constexpr std::size_t n = 10'000;
    std::deque<limit> limits;
    for (std::size_t i = 0; i < n; ++i) limits.emplace_back(1);
    std::vector<int> counts(n);
    task_graph g;
    for (std::size_t i = 0; i < n; ++i) {
      const auto t = g.add([&counts, i] {
        if (i > 0) ++counts[i - 1];
        ++counts[i];
      });
      t.within(limits[i]);
      if (i > 0) t.within(limits[i - 1]);
    }
    g.run();
    ++counts.back();
    for (const int c : counts) EXPECT_EQ(c, 2);
  });
}

// Catches: a run that takes itself for done while its tasks wait for permits that another run has; a run that is not told.
TEST(task_limit, is_shared_by_graphs_that_run_at_once) {
  limit two(2);
  crowd inside;
  std::vector<task_graph> all(4);
  for (task_graph& g : all) {
    for (int i = 0; i < scaled(50); ++i) {
      const auto t = g.add([&] { inside.visit(); }).within(two);
      t.before(g.add([&] { inside.visit(); }).within(two));
    }
  }
  std::vector<std::thread> callers;
  for (task_graph& g : all) callers.emplace_back([&g] { g.run_n(3); });
  std::vector<pending_run> runs;
  for (std::thread& c : callers) c.join();
  for (int round = 0; round < 3; ++round) {
    for (task_graph& g : all) runs.push_back(g.async());
  }
  for (const pending_run& r : runs) EXPECT_TRUE(r.wait());
  EXPECT_LE(inside.most(), 2);
  EXPECT_EQ(inside.visits(), scaled(50) * 2 * 4 * 6);
  EXPECT_EQ(two.free(), 2U);
}

// Catches: the same between runtimes, which cannot resume each other's strands.
TEST(task_limit, is_shared_by_runtimes) {
  limit one(1);
  int counter = 0;
  const auto count = [&](unsigned workers) {
    sennit::runtime rt(workers);
    task_graph g;
    for (int i = 0; i < 200; ++i) {
      g.add([&] {
         ++counter;
         if (counter % 16 == 0) std::this_thread::yield();
       }).within(one);
    }
    rt.run([&] { g.run_n(5); });
  };
  std::vector<std::thread> callers;
  for (const unsigned workers : {1U, 1U, 2U, 3U}) callers.emplace_back(count, workers);
  for (std::thread& c : callers) c.join();
  EXPECT_EQ(counter, 4000);
}

// Catches: a failed run that keeps permits, or leaves tasks in a limit's list that have no memory any more.
TEST(task_limit, is_free_after_a_failure) {
  with_workers([] {
    limit two(2);
    limit one(1);
    for (int round = 0; round < scaled(20); ++round) {
      task_graph g;
      std::atomic<int> ran{0};
      for (int i = 0; i < 40; ++i) {
        const auto t = g.add([&, i] {
          sennit::join([] { std::this_thread::yield(); }, [] {});
          if (i == round % 40) throw std::runtime_error("bad");
          ++ran;
        });
        t.within(one);
        t.within(two);
      }
      EXPECT_THROW(g.run(), graph::node_error);
      EXPECT_LT(ran, 40);
      EXPECT_EQ(two.free(), 2U);
      EXPECT_EQ(one.free(), 1U);
    }
  });
}

// Catches: a failed task that keeps its permit until the run ends, while a graph within the run waits for the permit.
TEST(task_limit, is_left_at_once_by_a_task_that_fails) {
  with_workers([] {
    for (int round = 0; round < scaled(50); ++round) {
      limit one(1);
      task_graph part;
      for (int i = 0; i < 5; ++i) part.add([] { sennit::join([] {}, [] {}); }).within(one);
      task_graph whole;
      whole.add(part);
      for (int i = 0; i < 5; ++i) {
        whole
            .add([] {
              std::this_thread::yield();
              throw std::runtime_error("bad");
            })
            .within(one);
      }
      EXPECT_THROW(whole.run(), graph::node_error);
      EXPECT_EQ(one.free(), 1U);
    }
  });
}

// Catches: the same for a run that is cancelled while another run has the permits it waits for.
TEST(task_limit, is_free_after_a_cancellation) {
  if (sennit::runtime::default_runtime().workers() < 2) GTEST_SKIP();
  limit one(1);
  std::atomic<bool> inside{false};
  std::atomic<bool> go_on{false};
  task_graph holder;
  holder
      .add([&] {
        inside = true;
        while (!go_on) std::this_thread::yield();
      })
      .within(one);
  const pending_run held = holder.async();
  while (!inside) std::this_thread::yield();
  task_graph waits;
  std::atomic<int> ran{0};
  for (int i = 0; i < 20; ++i) waits.add([&] { ++ran; }).within(one);
  const pending_run waiting = waits.async();
  waiting.cancel();
  go_on = true;
  EXPECT_TRUE(held.wait());
  EXPECT_FALSE(waiting.wait());
  EXPECT_LT(ran, 20);
  EXPECT_EQ(one.free(), 1U);
  waits.run();
  EXPECT_GE(ran, 20);
}

// Catches: a task that waits at the end of the list for ever, as later ones are let in before it.
TEST(task_limit, lets_in_first_who_has_waited_longest) {
  task_graph g;
  limit one(1);
  std::vector<int> order;
  sennit::runtime rt(1);
  int turns = 0;
  // On one worker, each task that enters finds the limit free.
  const auto again = g.choose([&] { return ++turns < 50 ? 0 : 1; }).within(one);
  g.add([] {}).before(again);
  again.before(again);
  for (int i = 0; i < 5; ++i) g.add([&, i] { order.push_back(i); }).within(one);
  rt.run([&] { g.run(); });
  EXPECT_EQ(order.size(), 5U);
  EXPECT_EQ(turns, 50);
}

// Catches: a graph within a limit that waits for itself, and does not say so.
TEST(task_limit, of_a_graph_within_another_comes_before_those_of_its_tasks) {
  with_workers([] {
    limit outer(1);
    limit inner(2);
    task_graph part;
    crowd inside;
    for (int i = 0; i < 20; ++i) part.add([&] { inside.visit(); }).within(inner);
    task_graph whole;
    for (int i = 0; i < 3; ++i) whole.add(part).within(outer);
    whole.run();
    EXPECT_EQ(inside.visits(), 60);
    task_graph wrong;
    wrong.add(part).within(inner).name("part");
    EXPECT_NE(text_of<std::logic_error>([&] { wrong.run(); }).find("\"part\""), std::string::npos);
  });
}

// Catches: a limit that lets nobody in, found when a program hangs.
TEST(task_limit, is_at_least_one) { EXPECT_THROW(limit(0), std::invalid_argument); }

// Catches: a cancelled run that goes on to wait for a permit, and whose task runs when it gets one.
TEST(task_limit, is_not_awaited_in_a_cancelled_run) {
  under(settings({4}), [](sennit::runtime& rt) {
    rt.run([] {
      limit one(1);
      task_graph holder;
      std::atomic<bool> held{false};
      std::atomic<bool> over{false};
      holder
          .add([&] {
            held = true;
            while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          })
          .within(one);
      task_graph waiting;
      bool ran = false;
      waiting.add([&] { ran = true; }).within(one);
      graph::pending_run first = holder.async();
      while (!held) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      graph::pending_run second = waiting.async();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      second.cancel();
      EXPECT_FALSE(second.wait());
      sennit::region r;
      std::thread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        r.cancel();
      });
      EXPECT_FALSE(r.run([&] { waiting.run(); }));
      canceller.join();
      over = true;
      EXPECT_TRUE(first.wait());
      EXPECT_FALSE(ran);
    });
  });
}

}  // namespace
}  // namespace sennit_test
