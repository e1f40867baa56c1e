// SPDX-License-Identifier: Apache-2.0
// Groups that are fed by other threads and other runtimes.
#include "support.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using sennit::task_group;

// Catches: children of threads that run no strand that nobody runs, or waits for.
TEST(FedGroup, ByOtherThreads) {
  under(settings({1, 2, 8}), [](sennit::runtime& rt) {
    std::atomic<int> ran{0};
    const auto feed_from_outside = [&](task_group& g) {
      std::vector<std::thread> feeders;
      for (int t = 0; t < 3; ++t) {
        feeders.emplace_back([&] {
          for (int i = 0; i < 200; ++i) g.spawn([&] { g.spawn([&] { ++ran; }); });
        });
      }
      for (std::thread& t : feeders) t.join();
    };
    rt.run([&] {
      task_group g;
      for (int i = 0; i < 10; ++i) g.spawn([&] { ++ran; });
      feed_from_outside(g);
      g.wait();
      EXPECT_EQ(ran, 610);
      std::vector<task_group> far(1);
      feed_from_outside(far[0]);
      far[0].wait();
      EXPECT_EQ(ran, 1210);
    });
    task_group outside;
    feed_from_outside(outside);
    outside.spawn([&] { ++ran; });
    outside.wait();
    EXPECT_EQ(ran, 1811);
  });
}

// Catches: a strand of one runtime that a worker of another resumes.
TEST(FedGroup, ByAnotherRuntime) {
  under(settings({1, 2, 8}), [](sennit::runtime& rt) {
    sennit::runtime other({.workers = 2});
    std::atomic<int> ran{0};
    rt.run([&] {
      for (int i = 0; i < 20; ++i) {
        task_group g;
        g.spawn([&] { other.run([&] { g.spawn([&] { ++ran; }); }); });
        other.run([&] { sennit::parallel_for(0, 10, [&](int) { g.spawn([&] { ++ran; }); }); });
        g.wait();
      }
    });
    EXPECT_EQ(ran, 220);
    // Of the main thread, fed by one runtime and then by the other, which is waited in.
    task_group mine;
    rt.run([&] {
      sennit::parallel_for(0, 10, [&](int) { mine.spawn([&] { ++ran; }); });
      mine.wait();
    });
    other.run([&] {
      mine.spawn([&] { ++ran; });
      mine.wait();
    });
    mine.spawn([&] { ++ran; });
    mine.wait();
    EXPECT_EQ(ran, 232);
  });
}

// Catches: constructs of a thread that runs no strand, which end while children are open that they have spawned into a group from
// outside: the program is told that it must not do so, or children refer to a region that has ended.
TEST(FedGroup, ConstructsOfOutsideThreadsSpawn) {
  const auto few = [](std::atomic<int>& ran) {
    return [&ran] { sennit::join([&] { ++ran; }, [&] { ++ran; }); };
  };
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ran{0};
    task_group g;
    sennit::parallel_for(100, [&](int) { g.spawn(few(ran)); });
    sennit::join([&] { g.spawn(few(ran)); }, [&] { g.spawn(few(ran)); });
    {
      task_group inner;
      for (int i = 0; i < 10; ++i) inner.spawn([&] { g.spawn(few(ran)); });
      inner.wait();
    }
    std::thread other([&] { sennit::parallel_for(100, [&](int) { g.spawn(few(ran)); }); });
    other.join();
    g.wait();
    EXPECT_EQ(ran, 2 * (100 + 2 + 10 + 100));
  }
}

// Catches: the same where the group is a strand's.
TEST(FedGroup, ConstructsOfOutsideThreadsSpawnForAStrand) {
  for (const unsigned workers : {1U, 3U}) {
    sennit::runtime rt({.workers = workers});
    rt.run([] {
      std::atomic<int> ran{0};
      task_group g;
      sennit::blocking([&] {
        std::thread([&] { sennit::parallel_for(100, [&](int) { g.spawn([&] { ++ran; }); }); }).join();
      });
      g.wait();
      EXPECT_EQ(ran, 100);
    });
  }
}

}  // namespace
}  // namespace sennit_test
