// SPDX-License-Identifier: Apache-2.0
// task_graph: runs that are begun and waited for later, cancelled, or never waited for.
#include "support.hpp"

#include <sennit/parallel_for.hpp>
#include <sennit/reducer.hpp>
#include <sennit/runtime.hpp>
#include <sennit/task_graph.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

using graph::pending_run;
using graph::task;
using graph::task_graph;

// Inside regions of several runtimes, and outside any.
template <class Test>
void anywhere(Test&& test) {
  test();
  with_workers(test);
}

// Catches: a wait that returns before the run has ended; a run that begins before the one before it has ended.
TEST(task_async, runs_come_one_after_the_other) {
  anywhere([] {
    task_graph g;
    int runs = 0;
    const auto a = g.add([&] { ++runs; });
    a.before(g.add([&] { EXPECT_GT(runs, 0); }));
    pending_run first = g.async();
    g.async_n(3);
    int left = 2;
    pending_run last = g.async_until([&] { return left-- == 0; });
    EXPECT_TRUE(last.wait());
    EXPECT_EQ(runs, 6);
    EXPECT_TRUE(first.done());
    EXPECT_TRUE(first.wait());
    g.async();
    g.wait();
    EXPECT_EQ(runs, 7);
    g.wait();
    g.run();
    EXPECT_EQ(runs, 8);
  });
}

#if SENNIT_EXCEPTIONS
// Catches: a task of a graph within another that waits for ever for a run of its own graph, which comes after the one that it
// is in; the same two levels deep; a task beside that graph that is refused the same wait, although it can be met.
TEST(task_async, refuses_a_task_of_an_inner_graph_that_waits_for_a_run_of_that_graph) {
  anywhere([] {
    for (const bool deeper : {false, true}) {
      task_graph inner;
      task_graph middle;
      task_graph outer;
      int refused = 0;
      std::optional<pending_run> later;
      inner.add([&] {
        if (later) return;
        later = inner.async();
        sennit::parallel_for(0, 4, [&](int i) {
          if (i == 3) {
            EXPECT_THROW(later->wait(), std::logic_error);
          }
        });
        EXPECT_THROW(inner.wait(), std::logic_error);
        ++refused;
      });
      middle.add(inner);
      auto first = outer.add(deeper ? middle : inner);
      bool waited = false;
      outer.add([&] { waited = later->wait(); }).after(first);
      EXPECT_TRUE(outer.async().wait());
      EXPECT_EQ(refused, 1);
      EXPECT_TRUE(waited);
    }
  });
}

// Catches: a task that waits for its own run, or for a later one, for ever; also in a branch, and in a graph within the graph.
TEST(task_async, refuses_a_task_that_waits_for_its_own_run) {
  anywhere([] {
    for (const bool inner : {false, true}) {
      task_graph g;
      task_graph within;
      pending_run own;
      std::atomic<bool> known = false;
      int refused = 0;
      const auto wait = [&] {
        while (!known) std::this_thread::yield();
        if (refused == 0) {
          sennit::parallel_for(0, 4, [&](int i) {
            if (i == 3) {
              EXPECT_THROW(own.wait(), std::logic_error);
            }
          });
        }
        EXPECT_THROW(g.wait(), std::logic_error);
        ++refused;
      };
      if (inner) {
        within.add(wait);
        g.add(within);
      } else {
        g.add(wait);
      }
      own = g.async();
      known = true;
      g.async();
      EXPECT_TRUE(own.wait());
      g.wait();
      EXPECT_EQ(refused, 2);
      // Another graph's runs can be waited for.
      task_graph other;
      other.add([&] { EXPECT_TRUE(g.async().wait()); });
      EXPECT_TRUE(other.async().wait());
      EXPECT_EQ(refused, 3);
    }
  });
}
#endif

// Catches: a graph that ends while its tasks run.
TEST(task_async, the_end_of_a_graph_waits_for_its_runs) {
  anywhere([] {
    std::atomic<int> ran{0};
    pending_run run;
    {
      task_graph g;
      for (int i = 0; i < 20; ++i) {
        g.add([&] {
          std::this_thread::sleep_for(std::chrono::microseconds(100));
          ++ran;
        });
      }
      run = g.async_n(3);
    }
    EXPECT_EQ(ran, 60);
    EXPECT_TRUE(run.done());
    EXPECT_TRUE(run.wait());
  });
}

// Catches: an exception that is lost, or kept for one handle only; runs after it that do not come.
TEST(task_async, rethrows_what_a_task_threw) {
  anywhere([] {
    task_graph g;
    int runs = 0;
    g.add([&] {
       if (++runs == 2) throw std::runtime_error("second");
     }).name("twice");
    g.async();
    const pending_run bad = g.async();
    const pending_run copy = bad;
    const pending_run good = g.async();
    EXPECT_TRUE(good.wait());
    for (const pending_run& r : {bad, copy, bad}) {
      EXPECT_EQ(text_of<graph::node_error>([&] { r.wait(); }), "sennit: running the task \"twice\": second");
    }
    EXPECT_EQ(runs, 3);
  });
}

// Catches: a cancelled run that goes on, or that spoils the next; one that waits is run all the same.
TEST(task_async, stops_where_it_is_cancelled) {
  anywhere([] {
    task_graph g;
    std::atomic<int> ran{0};
    task<> before = g.add([] {});
    for (int i = 0; i < 200; ++i) {
      const task<> next = g.add([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++ran;
      });
      before.before(next);
      before = next;
    }
    const pending_run run = g.async_n(1000);
    const pending_run waiting = g.async();
    run.cancel();
    waiting.cancel();
    EXPECT_FALSE(run.wait());
    EXPECT_FALSE(waiting.wait());
    EXPECT_LT(ran, 200);
    ran = 0;
    g.run();
    EXPECT_EQ(ran, 200);
  });
}

// Catches: a loop without an end that looks at nothing.
TEST(task_async, cancels_a_loop_without_an_end) {
  anywhere([] {
    task_graph g;
    for (int i = 0; i < 10; ++i) {
      const auto again = g.choose([] { return 0; });
      g.add([] {}).before(again);
      again.before(again);
    }
    const pending_run run = g.async();
    run.cancel();
    EXPECT_FALSE(run.wait());
  });
}

// Catches: a cancellation that comes in the middle of loops of tasks.
TEST(task_async, cancels_tasks_with_loops_within) {
  task_graph g;
  std::atomic<bool> begun{false};
  std::atomic<long> turns{0};
  g.add([&] {
    begun = true;
    sennit::parallel_for(0L, 1L << 40, [&](long) { turns.fetch_add(1, std::memory_order_relaxed); });
  });
  const pending_run run = g.async();
  if (sennit::runtime::default_runtime().workers() > 1) {
    while (!begun) std::this_thread::yield();
  }
  run.cancel();
  EXPECT_FALSE(run.wait());
}

// Catches: runs that are let in although another one has not ended; changes during a pending run.
TEST(task_async, keeps_others_out) {
  task_graph g;
  std::atomic<bool> go_on{false};
  g.add([&] {
    while (!go_on) std::this_thread::yield();
  });
  if (sennit::runtime::default_runtime().workers() < 2) GTEST_SKIP();
  const pending_run run = g.async();
  EXPECT_FALSE(run.done());
  EXPECT_THROW(g.run(), std::logic_error);
  EXPECT_THROW(g.add([] {}), std::logic_error);
  go_on = true;
  EXPECT_TRUE(run.wait());
  g.run();
}

// Catches: a run that is lost, or ends twice, where many threads begin runs of many graphs at once.
TEST(task_async, a_thousand_runs_from_several_threads) {
  constexpr int threads = 4;
  constexpr int graphs = 25;
  constexpr int rounds = 10;
  std::atomic<int> ran{0};
  std::vector<task_graph> all(threads * graphs);
  for (task_graph& g : all) {
    const auto a = g.add([&] { ++ran; });
    const auto b = g.add([&] { ++ran; });
    a.before(b);
    b.before(g.add([&] { ++ran; }), g.add([&] { ++ran; }));
  }
  std::vector<std::thread> callers;
  for (int t = 0; t < threads; ++t) {
    callers.emplace_back([&, t] {
      std::vector<pending_run> runs;
      for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < graphs; ++i)
          runs.push_back(all[static_cast<std::size_t>(t * graphs + i)].async());
      }
      for (const pending_run& r : runs) EXPECT_TRUE(r.wait());
    });
  }
  for (std::thread& c : callers) c.join();
  EXPECT_EQ(ran, threads * graphs * rounds * 4);
}

// Catches: threads that share one graph, and each see the others' runs.
TEST(task_async, several_threads_begin_runs_of_one_graph) {
  task_graph g;
  int ran = 0;
  g.add([&] { ++ran; });
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        const pending_run r = g.async();
        if (i % 3 == 0) r.wait();
      }
    });
  }
  for (std::thread& c : callers) c.join();
  g.wait();
  EXPECT_EQ(ran, 400);
}

// Catches: a poll that waits for a thread that does not exist.
TEST(task_async, ends_while_it_is_asked) {
  task_graph g;
  int ran = 0;
  g.add([&] { ++ran; });
  const pending_run run = g.async();
  while (!run.done()) std::this_thread::yield();
  EXPECT_EQ(ran, 1);
}

// Catches: what tasks add to reducers in a run that nobody calls as a function.
TEST(task_async, a_wait_brings_what_tasks_added_to_reducers) {
  anywhere([] {
    sennit::reducer<int> sum;
    task_graph g;
    for (int i = 1; i <= 10; ++i) g.add([&, i] { *sum += i; });
    const pending_run run = g.async_n(2);
    EXPECT_TRUE(run.wait());
    EXPECT_TRUE(run.wait());
    EXPECT_EQ(sum.value(), 110);
  });
}

// Catches: a handle of no run that is taken for one.
TEST(task_async, refuses_handles_of_no_run) {
  const pending_run none;
  EXPECT_FALSE(none);
  EXPECT_THROW(none.wait(), std::logic_error);
  EXPECT_THROW((void)none.done(), std::logic_error);
  EXPECT_THROW(none.cancel(), std::logic_error);
}

}  // namespace
}  // namespace sennit_test
