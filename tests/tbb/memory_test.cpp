// SPDX-License-Identifier: Apache-2.0
// Programs written for oneTBB that run out of memory: nothing is lost, and nothing hangs.
#include "../replaced_new.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <list>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace {

// Allocations of each thread that succeed before all others fail.
constexpr int unlimited = std::numeric_limits<int>::max();
constinit thread_local int left = unlimited;
// The thread's next one fails, and no others; as long as a test says so, which does not know the threads that are left so.
constinit thread_local bool next_fails = false;
constinit std::atomic<bool> next_may_fail{false};

// Calls f, whose thread runs out of memory after so many allocations. Whether that was noticed.
template <class F>
bool fails_after(int allocations, F&& f) {
  left = allocations;
  bool failed = false;
  try {
    f();
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  failed |= left <= 0;
  left = unlimited;
  return failed;
}

}  // namespace

void sennit_test::allocating(std::size_t) {
  if (std::exchange(next_fails, false) && next_may_fail) throw std::bad_alloc();
  if (left == unlimited) return;
  if (left <= 0) throw std::bad_alloc();
  --left;
}

namespace {

// Catches: a wait that throws before it has begun, and after which nobody can wait for the group any more.
TEST(tbb_memory, a_group_can_be_used_after_a_wait_that_failed) {
  for (const std::size_t allowed : {1, 2, 3}) {
    for (int allocations = 0; allocations != 5; ++allocations) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, allowed);
      std::atomic<int> calls = 0;
      tbb::task_group g;
      g.run([&] { ++calls; });
      auto handle = g.defer([&] { ++calls; });
      g.run(std::move(handle));
      (void)fails_after(allocations, [&] { g.wait(); });
      EXPECT_EQ(calls, 2);
      std::thread other([&] { g.run([&] { ++calls; }); });
      other.join();
      EXPECT_EQ(g.wait(), tbb::complete);
      EXPECT_EQ(calls, 3);
    }
  }
}

// Catches: tasks that are lost, or waited for in vain, where one of them cannot be added, or cannot be handed on to Sennit's group.
TEST(tbb_memory, no_task_is_lost) {
  for (const std::size_t allowed : {1, 1000}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, allowed);
    bool failed = true;
    for (int allocations = 0; failed; ++allocations) {
      std::atomic<int> calls = 0;
      int added = 0;
      tbb::task_group g;
      std::vector<tbb::task_handle> handles;
      for (int i = 0; i < 20; ++i) handles.push_back(g.defer([&] { ++calls; }));
      failed = fails_after(allocations, [&] {
        for (auto& h : handles) {
          g.run(std::move(h));
          ++added;
          g.run([&] { ++calls; });
          ++added;
        }
      });
      handles.clear();
      (void)fails_after(allocations, [&] { g.wait(); });
      ASSERT_EQ(calls, added) << allocations;
      ASSERT_LT(allocations, 1000);
    }
  }
}

// Catches: a body that has memory again after feeder.add() failed, while items that it had added before are lost; and a feeder that
// hands on nothing any more, as it counts items that were never handed on.
TEST(tbb_memory, no_fed_item_is_lost) {
  for (int allocations = 0; allocations != 60; ++allocations) {
    std::atomic<int> calls = 0;
    int added = 1;
    const std::list<int> first = {1000};
    tbb::parallel_for_each(first, [&](int item, tbb::feeder<int>& more) {
      ++calls;
      if (item != 1000) return;
      (void)fails_after(allocations, [&] {
        for (int i = 0; i < 50; ++i, ++added) more.add(i);
      });
    });
    ASSERT_EQ(calls, added) << allocations;
  }
}

// Catches: items that nobody else gets once memory was short.
TEST(tbb_memory, items_are_handed_on_after_memory_was_short) {
  if (tbb::this_task_arena::max_concurrency() == 1) GTEST_SKIP() << "one worker has them one after the other";
  std::atomic<int> begun = 0;
  const std::vector<int> first = {0};
  tbb::parallel_for_each(first, [&](int item, tbb::feeder<int>& more) {
    ++begun;
    if (item != 0) return;
    for (int allocations = 0; allocations != 60; ++allocations) {
      (void)fails_after(allocations % 3, [&] {
        more.add(1);
        more.add(1);
      });
    }
    const int before = begun;
    more.add(1);
    more.add(1);
    while (begun == before) std::this_thread::yield();
  });
}

// Catches: a pipeline that goes through all of its input once one of its strands could not be made.
TEST(tbb_memory, a_pipeline_ends_where_memory_is_short) {
  if (tbb::this_task_arena::max_concurrency() == 1) GTEST_SKIP() << "one worker needs no further strands";
  constexpr int most = 200'000;
  std::atomic<int> source = 0;
  const auto source_filter =
      tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        const int item = ++source;
        if (item > most) control.stop();
        next_fails = item >= 1000;
        return item;
      });
  const auto sink = tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) {
    next_fails = false;
    std::this_thread::yield();
  });
  next_may_fail = true;
  bool failed = false;
  try {
    tbb::parallel_pipeline(8, source_filter, sink);
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  next_may_fail = false;
  EXPECT_TRUE(!failed || source < most);
}

// Catches: an arena that counts a thread which could not be begun, and so never runs what is enqueued.
TEST(tbb_memory, enqueued_tasks_run_after_memory_was_short) {
  for (int allocations = 0; allocations != 12; ++allocations) {
    tbb::task_arena one(1);
    std::atomic<int> calls = 0;
    int added = 1;
    (void)fails_after(allocations, [&] {
      one.enqueue([&] { ++calls; });
      ++added;
    });
    one.enqueue([&] { ++calls; });
    while (calls < added) std::this_thread::yield();
    one.enqueue([&] { calls += 100; });
    while (calls < 100) std::this_thread::yield();
    EXPECT_EQ(calls, 100 + added);
  }
}

// Catches: isolated work that has one thread only, as an isolation that could not begin is never over; and an observer that is
// never forgotten, as a call of it that could not be made is never over.
TEST(tbb_memory, isolation_and_observers_end_where_memory_is_short) {
  const bool several = tbb::this_task_arena::max_concurrency() > 1;
  for (int allocations = 0; allocations != 12; ++allocations) {
    tbb::parallel_for(0, 1, [&](int) {
      (void)fails_after(allocations, [] { tbb::this_task_arena::isolate([] {}); });
      std::mutex mutex;
      std::set<std::thread::id> threads;
      tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(0, 8, [&](int) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          const std::lock_guard guard(mutex);
          threads.insert(std::this_thread::get_id());
        });
      });
      EXPECT_EQ(threads.size() > 1, several) << allocations;
    });
    std::list<tbb::task_scheduler_observer> observers(3);
    for (auto& o : observers) o.observe();
    (void)fails_after(allocations, [] { tbb::parallel_for(0, 10, [](int) {}); });
    for (auto& o : observers) o.observe(false);
  }
}

}  // namespace
