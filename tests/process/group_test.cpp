// SPDX-License-Identifier: Apache-2.0
// Groups that are waited for where no strand of their runtime runs.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <atomic>
#include <latch>
#include <thread>

namespace process {
namespace {

// A child that a worker has begun, and that does not end before the thread that made this sleeps.
class long_child {
 public:
  void operator()() {
    begun_.count_down();
    await([this] { return sleeps(waiter_); }, "the thread that waits sleeps");
  }
  void await_begin() { begun_.wait(); }

 private:
  const pid_t waiter_ = gettid();
  std::latch begun_{1};
};

TEST(Group, ThatAnOutsideThreadFedIsAwaitedAsleep) {
  // Catches: a thread that waits at work.
  const ending run = apart([] {
    setenv("SENNIT_WORKERS", "2", 1);
    sennit::task_group group;
    long_child child;
    group.spawn([&] { child(); });
    child.await_begin();
    group.wait();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Group, ThatALoopFedIsAwaitedAsleepByAnOutsideThread) {
  // Catches: the same where the thread has spawned nothing itself.
  const ending run = apart([] {
    setenv("SENNIT_WORKERS", "2", 1);
    sennit::task_group group;
    long_child child;
    sennit::parallel_for(1, [&](int) { group.spawn([&] { child(); }); });
    child.await_begin();
    group.wait();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Group, BehindManyChildrenOfAnother) {
  // Catches: a worker that sleeps, or takes nothing, as what it may take is listed behind many others.
  for (const char* const workers : {"1", "2"}) {
    const ending run = apart([=] {
      setenv("SENNIT_WORKERS", workers, 1);
      std::atomic<int> ran{0};
      sennit::task_group g;
      sennit::join(
          [&] {
            for (int i = 0; i < 1000; ++i) g.spawn([&] { ++ran; });
          },
          [&] {
            sennit::task_group h;
            sennit::join([&] { h.spawn([&] { ++ran; }); }, [&] { h.spawn([&] { ++ran; }); });
            h.wait();
          });
      g.wait();
      EXPECT_EQ(ran, 1002);
    });
    EXPECT_THAT(run, ExitedWith(0)) << workers;
  }
}

TEST(Group, OfAnotherRuntimeIsAwaitedAsleep) {
  // Catches: the same in a strand of another runtime; a worker there for which nobody stands in.
  const ending run = apart([] {
    setenv("SENNIT_WORKERS", "2", 1);
    sennit::runtime other{{.workers = 1}};
    sennit::task_group group;
    long_child child;
    group.spawn([&] { child(); });
    child.await_begin();
    other.run([&] { group.wait(); });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Group, OfAnOpenRegionIsAwaitedAsleepByAnOutsideThread) {
  // Catches: the same where the children are in a runtime that the thread cannot enter.
  const ending run = apart([] {
    sennit::runtime two{{.workers = 2}};
    sennit::task_group group;
    long_child child;
    std::latch awaited{1};
    std::thread feeder([&] {
      two.run([&] {
        sennit::join([&] { group.spawn([&] { child(); }); }, [] {});
        sennit::blocking([&] { awaited.wait(); });
      });
    });
    child.await_begin();
    group.wait();
    awaited.count_down();
    feeder.join();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Group, CallsTheThreadThatWaitsForWhatThreadsOfChildrenSpawn) {
  // Catches: a child that is spawned while the thread sleeps, and that nobody else is free to run.
  const ending run = apart([] {
    setenv("SENNIT_WORKERS", "2", 1);
    sennit::runtime other{{.workers = 1}};
    sennit::task_group group;
    long_child child;
    std::latch ran{1};
    group.spawn([&] {
      child();
      std::thread([&] { group.spawn([&] { ran.count_down(); }); }).join();
      ran.wait();
    });
    child.await_begin();
    other.run([&] { group.wait(); });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Group, CallsTheThreadThatWaitsForWhatChildrenHaveSpawned) {
  // Catches: the same for children of one that has ended, where each needs a thread of its own.
  const ending run = apart([] {
    setenv("SENNIT_WORKERS", "2", 1);
    sennit::runtime other{{.workers = 1}};
    sennit::task_group group;
    long_child child;
    std::latch both{2};
    group.spawn([&] {
      child();
      for (int i = 0; i < 2; ++i) group.spawn([&] { both.arrive_and_wait(); });
    });
    child.await_begin();
    other.run([&] { group.wait(); });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

}  // namespace
}  // namespace process
