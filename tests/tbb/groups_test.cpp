// SPDX-License-Identifier: Apache-2.0
// Programs written for oneTBB's groups and arenas, which say nothing of Sennit.
#include <sennit/parallel_for.hpp>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

long fibonacci(int n) {
  if (n < 2) return n;
  long left = 0;
  long right = 0;
  tbb::task_group g;
  g.run([&] { left = fibonacci(n - 1); });
  g.run([&] { right = fibonacci(n - 2); });
  g.wait();
  return left + right;
}

// Catches tasks that are lost, or waited for too early.
TEST(tbb_groups, tasks_run_before_wait_returns) {
  EXPECT_EQ(fibonacci(18), 2584);
  tbb::task_group g;
  std::atomic<int> calls = 0;
  auto later = g.defer([&] { ++calls; });
  EXPECT_EQ(g.run_and_wait([&] { g.run([&] { g.run(std::move(later)); }); }), tbb::complete);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(later == nullptr);
}

// Catches a task that runs within run(), however many wait: the caller may hold a lock that the task takes, or use what is its
// thread's.
TEST(tbb_groups, no_task_runs_within_run) {
  static thread_local bool adding;
  std::atomic<int> calls = 0;
  std::atomic<int> within = 0;
  tbb::task_group g;
  const auto add = [&](int n) {
    for (int i = 0; i < n; ++i) {
      adding = true;
      g.run([&] {
        ++calls;
        if (adding) ++within;
      });
      adding = false;
    }
  };
  tbb::parallel_for(0, 1, [&](int) { add(3000); });
  add(3000);
  g.run([&] { add(3000); });
  std::thread other([&] { add(3000); });
  other.join();
  g.wait();
  EXPECT_EQ(calls, 12'000);
  EXPECT_EQ(within, 0);
}

// Catches an exception that is lost, tasks that begin after a cancellation, and a group that stays cancelled.
TEST(tbb_groups, exceptions_and_cancellation) {
  tbb::task_group g;
  g.run([] { throw std::logic_error("a task"); });
  EXPECT_THROW(g.wait(), std::logic_error);
  std::atomic<int> calls = 0;
  g.cancel();
  g.run([&] { ++calls; });
  EXPECT_EQ(g.wait(), tbb::canceled);
  EXPECT_EQ(calls, 0);
  g.run([&] {
    EXPECT_FALSE(tbb::is_current_task_group_canceling());
    g.cancel();
    EXPECT_TRUE(tbb::is_current_task_group_canceling());
    tbb::parallel_for(0, 100, [&](int) { ++calls; });
  });
  EXPECT_EQ(g.wait(), tbb::canceled);
  EXPECT_EQ(calls, 0);
}

// Catches a group that only its own strand can feed: in oneTBB any thread and any arena may.
TEST(tbb_groups, a_group_is_fed_from_everywhere) {
  tbb::task_group g;
  std::atomic<int> calls = 0;
  tbb::parallel_for(0, 100, [&](int) { g.run([&] { ++calls; }); });
  std::thread other([&] { g.run([&] { ++calls; }); });
  other.join();
  tbb::task_arena arena(2);
  arena.execute([&] { g.run([&] { ++calls; }); });
  arena.execute([&] { g.wait(); });
  EXPECT_EQ(calls, 102);
}

// Catches: a task that is lost, or runs when nobody waits any more, where it is added just as a wait begins or ends.
TEST(tbb_groups, tasks_are_added_as_waits_begin_and_end) {
  std::atomic<int> round = 0;
  std::atomic<int> added = 0;
  std::atomic<int> calls = 0;
  constexpr int rounds = 300;
  tbb::task_group g;
  std::thread other([&] {
    for (int r = 1; r <= rounds; ++r) {
      while (round < r) std::this_thread::yield();
      for (int i = 0; i != r % 5; ++i) {
        g.run([&] {
          ++calls;
          g.run([&] { ++calls; });
        });
      }
      added = r;
    }
  });
  int expected = 0;
  for (int r = 1; r <= rounds; ++r) {
    g.run([&] { ++calls; });
    expected += 1 + 2 * (r % 5);
    round = r;
    for (int i = 0; i != r % 7; ++i) g.wait();
    while (added < r) g.wait();
    g.wait();
    ASSERT_EQ(calls, expected) << r;
  }
  other.join();
}

// Catches: a task of another thread that begins only when those are over that were there before, and one of them waits for it.
TEST(tbb_groups, tasks_that_are_added_during_a_wait_begin) {
  // The thread that waits works for its own region alone, and another worker is in the task that never ends without the others.
  if (tbb::this_task_arena::max_concurrency() < 3) GTEST_SKIP() << "nobody else may take them";
  tbb::task_group g;
  std::atomic<bool> begun = false;
  std::atomic<int> calls = 0;
  g.run([&] {
    begun = true;
    while (calls != 10) std::this_thread::yield();
  });
  std::thread other([&] {
    while (!begun) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (int i = 0; i != 5; ++i) {
      g.run([&] { ++calls; });
      g.run(g.defer([&] { ++calls; }));
    }
  });
  EXPECT_EQ(g.wait(), tbb::complete);
  EXPECT_EQ(calls, 10);
  other.join();
}

// Catches: an exception that goes to the strand which added the task, and not to the one that waits.
TEST(tbb_groups, who_waits_has_the_exception) {
  for (int i = 0; i != 20; ++i) {
    tbb::task_group g;
    std::atomic<bool> added = false;
    tbb::parallel_invoke(
        [&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          g.run([] { throw std::runtime_error("a task"); });
          added = true;
        },
        [&] {
          while (!added) std::this_thread::yield();  // on another worker, where there is one
          EXPECT_THROW(g.wait(), std::runtime_error);
          EXPECT_EQ(g.wait(), tbb::complete);
        });
  }
}

// Catches: a second strand that waits for the group, and finds it in use for ever, or goes before its tasks are over.
TEST(tbb_groups, several_may_wait) {
  for (int i = 0; i != 50; ++i) {
    tbb::task_group g;
    std::atomic<int> calls = 0;
    for (int k = 0; k != 5; ++k) g.run([&] { ++calls; });
    g.run([] { throw std::runtime_error("a task"); });
    std::atomic<int> thrown = 0;
    const auto wait = [&] {
      try {
        g.wait();
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    };
    std::thread first(wait);
    std::thread second(wait);
    wait();
    first.join();
    second.join();
    EXPECT_EQ(thrown, 1);
    g.run([&] { calls = 100; });
    EXPECT_EQ(g.wait(), tbb::complete);
    EXPECT_EQ(calls, 100);
  }
}

// Catches: a group whose tasks are held against the end of a later construct, as the group was made in an earlier one.
TEST(tbb_groups, a_group_outlives_the_construct_that_made_it) {
  std::vector<std::unique_ptr<tbb::task_group>> groups(10);
  tbb::parallel_for(
      0, 10, [&](int i) { groups[static_cast<std::size_t>(i)] = std::make_unique<tbb::task_group>(); });
  std::atomic<int> calls = 0;
  tbb::parallel_for(0, 100, [&](int i) {
    groups[static_cast<std::size_t>(i % 10)]->run([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      ++calls;
    });
  });
  for (auto& group : groups) EXPECT_EQ(group->wait(), tbb::complete);
  EXPECT_EQ(calls, 100);
}

// Catches arenas with more threads than they may have, indices that two threads have at a time, and results that are lost.
TEST(tbb_arenas, have_their_own_workers) {
  tbb::task_arena one(1);
  int inside = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) one.execute([&] { tbb::parallel_for(0, 10, [&](int) { ++inside; }); });
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(inside, 4000);

  tbb::task_arena three(3);
  std::vector<std::atomic<int>> busy(3);
  EXPECT_EQ(three.execute([&] {
    tbb::parallel_for(0, 1000, [&](int) {
      const auto index = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
      EXPECT_EQ(busy.at(index).exchange(1), 0);
      std::this_thread::yield();
      busy[index] = 0;
    });
    return tbb::this_task_arena::max_concurrency();
  }),
            3);
}

// Catches an enqueued task that waits for a thread which nobody sends.
TEST(tbb_arenas, enqueued_tasks_need_no_waiting_thread) {
  std::atomic<int> calls = 0;
  tbb::task_arena one(1);
  one.execute([&] {
    one.enqueue([&] { ++calls; });
    while (calls == 0) std::this_thread::yield();
  });
  tbb::this_task_arena::enqueue([&] { ++calls; });
  while (calls == 1) std::this_thread::yield();
}

// Catches a strand that comes out of isolation on another thread, or a thread that has run other tasks meanwhile.
TEST(tbb_arenas, isolated_work_keeps_its_thread) {
  static thread_local int mine;
  tbb::parallel_for(0, 200, [](int i) {
    mine = i;
    const std::thread::id before = std::this_thread::get_id();
    tbb::this_task_arena::isolate([] {
      std::atomic<int> calls = 0;
      tbb::parallel_for(0, 100, [&](int) { ++calls; });
      EXPECT_EQ(calls, 100);
    });
    EXPECT_EQ(mine, i);
    EXPECT_EQ(before, std::this_thread::get_id());
  });
}

// Catches a limit that is not obeyed.
TEST(tbb_arenas, a_global_control_limits_workers) {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const std::thread::id here = std::this_thread::get_id();
  tbb::parallel_for(0, 1000, [&](int) { EXPECT_EQ(std::this_thread::get_id(), here); });
}

// Catches: a task that looks at the arena in which it was added, and which is gone.
TEST(tbb_arenas, a_task_may_outlive_its_arena) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> seen{0};
    tbb::task_group group;
    {
      tbb::task_arena arena(3);
      arena.execute([&] {
        const auto look = [&] { seen += tbb::this_task_arena::max_concurrency(); };
        for (int k = 0; k < 10; ++k) k % 2 == 0 ? group.run(look) : group.run(group.defer(look));
      });
    }
    group.wait();
    EXPECT_EQ(seen, 30);
  }
}

// Catches: a task that takes the setting of another strand for its own, because a construct that is none of oneTBB's has moved it
// to another thread.
TEST(tbb_groups, tasks_go_on_behind_constructs_of_others) {
  for (int round = 0; round < 30; ++round) {
    std::atomic<int> ran{0};
    tbb::task_group group;
    std::function<void(int)> spread = [&](int depth) {
      group.run([&, depth] {
        sennit::parallel_for(0, 40, [](int) {
          const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(5);
          while (std::chrono::steady_clock::now() < end) {
          }
        });
        ++ran;
        if (depth == 0) return;
        spread(depth - 1);
        spread(depth - 1);
      });
    };
    group.run_and_wait([&] { spread(5); });
    EXPECT_EQ(ran, 63);
  }
}

// Catches: items that nobody else gets before the body has returned that added them.
TEST(tbb_feeders, added_items_are_had_while_the_body_runs) {
  if (tbb::this_task_arena::max_concurrency() == 1) GTEST_SKIP() << "one worker has them one after the other";
  std::atomic<int> begun{0};
  const std::vector<int> first{0};
  tbb::parallel_for_each(first, [&](int item, tbb::feeder<int>& feeder) {
    ++begun;
    if (item != 0) return;
    for (int k = 1; k <= 10; ++k) feeder.add(k);
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 11);
}

}  // namespace
