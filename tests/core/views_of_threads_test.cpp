// SPDX-License-Identifier: Apache-2.0
// Reducers: what becomes of views as threads end, and the process.
#include "reducers.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

// Catches what a thread outside any runtime has added, if it ends with the thread; and an order that is not that of the
// threads' ends.
TEST(reducer, takes_over_what_threads_leave) {
  record r;
  tally t;
  r->push_back(4);
  for (int i = 0; i < 4; ++i) {
    std::thread([&, i] {
      r->push_back(i);
      sennit::join([&] { add(t); }, [&] { add(t); });
    }).join();
  }
  // A thread's additions come before those of the thread that asks.
  EXPECT_EQ(r.value(), up_to(5));
  EXPECT_EQ(r.value(), up_to(5)) << "asked a second time";
  EXPECT_EQ(t.value().value(), 8U);
  std::thread([&] { r->push_back(-1); }).join();
  EXPECT_EQ(r.value().front(), -1);
  EXPECT_EQ(r.value().size(), 6U);
}

// Catches a thread's end that overwrites what another one leaves at the same time.
TEST(reducer, takes_over_what_threads_leave_at_once) {
  for (int round = 0; round < scaled(200); ++round) {
    sennit::reducer<int> sum;
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        *sum += 1;
        ++ready;
        while (ready < 8) std::this_thread::yield();
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(sum.value(), 8);
  }
}

// Catches combine() called as a thread ends, whose thread_locals are gone by then.
TEST(reducer, combines_nothing_at_the_end_of_a_thread) {
  const std::thread::id here = std::this_thread::get_id();
  sennit::reducer by_asker(0, [&](int a, int b) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    return a + b;
  });
  for (int i = 0; i < 3; ++i) std::thread([&] { *by_asker += 1; }).join();
  EXPECT_EQ(by_asker.value(), 3);
}

// Catches a view that a destructor makes after the library has seen the thread end, also if it is a worker's.
TEST(reducer, may_be_added_to_by_destructors_of_thread_locals) {
  static record* added_to = nullptr;
  struct adds_at_its_end {
    int number = 0;
    ~adds_at_its_end() { (*added_to)->push_back(number); }
  };
  record r;
  added_to = &r;
  const auto use = [&](int number) {
    // They end in reverse, one of them after the reducer's first use has been undone, if it is.
    static thread_local adds_at_its_end second;
    second.number = number + 2;
    r->push_back(number);
    static thread_local adds_at_its_end first;
    first.number = number + 1;
  };
  std::thread([&] { use(0); }).join();
  EXPECT_EQ(r.value(), up_to(3));
  {
    sennit::runtime rt({.workers = 2});
    rt.run([&] { join_stolen([] {}, [&] { use(3); }); });
    EXPECT_EQ(r.value(), up_to(4));
  }
  std::ranges::sort(r.value());
  EXPECT_EQ(r.value(), up_to(6));
}

// Catches a view left to a reducer that is gone.
TEST(reducer, may_end_before_a_thread_that_used_it) {
  beacon used;
  beacon ended;
  auto t = std::make_unique<tally>();
  std::thread thread([&] {
    add(*t);
    used.light();
    ended.await();
  });
  used.await();
  t.reset();
  ended.light();
  thread.join();
  EXPECT_EQ(tracked::live(), 0);
  {
    tally never_asked;
    std::thread([&] { add(never_asked); }).join();
  }
  EXPECT_EQ(tracked::live(), 0);
}

// Catches an end of the process, or of a thread, that uses what has ended before: the main thread's views are still
// there when static objects end.
TEST(reducer, may_be_static) {
  static record at_exit;
  sennit::join([] { at_exit->push_back(0); }, [] { at_exit->push_back(1); });
  struct asks_at_exit {
    ~asks_at_exit() {
      at_exit->push_back(2);
      if (at_exit.value() != up_to(3)) std::abort();
    }
  };
  static const asks_at_exit last;
}

}  // namespace
}  // namespace sennit_test
