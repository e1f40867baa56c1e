// SPDX-License-Identifier: Apache-2.0
// The end of a process that uses Sennit, whatever its threads are doing.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <memory>
#include <thread>

namespace process {
namespace {

void say(const char* text) { std::fputs(text, stdout); }

// With a destructor that forks, and says so.
struct joins_at_the_end {
  ~joins_at_the_end() {
    if (fib(15) == 610) say("joined in a destructor\n");
  }
};

TEST(Exit, RightAfterARegion) {
  // Catches: an end of the process that crashes or hangs on workers which still spin.
  for (int i = 0; i < (sanitized ? 5 : 50); ++i) {
    const ending run = apart([] { fib(12); });
    ASSERT_THAT(run, ExitedWith(0)) << "in run " << i;
  }
}

TEST(Exit, OfARuntimeRightAfterARegion) {
  // Catches: a destructor that misses a worker which is about to sleep, or leaves a thread behind.
  const ending run = apart([] {
    for (int i = 0; i < (sanitized ? 20 : 300); ++i) {
      sennit::runtime brief{{.workers = 3}};
      brief.run([] { fib(12); });
      if (i % 3 == 1) usleep(100);  // ...so that some have begun to sleep
      if (i % 3 == 2) migrate();
    }
  });
  EXPECT_THAT(run, ExitedWith(0));
  const ending left = apart([] {
    {
      sennit::runtime brief{{.workers = 4}};
      brief.run(migrate);
    }
    EXPECT_TRUE(is_alone());
  });
  EXPECT_THAT(left, ExitedWith(0));
}

TEST(Exit, OfARuntimeNeverUsed) {
  // Catches: a destructor that waits for workers which have not begun to serve.
  const ending run = apart([] {
    for (int i = 0; i < (sanitized ? 20 : 200); ++i) sennit::runtime unused{{.workers = 3}};
    EXPECT_TRUE(is_alone());
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Exit, FromAStrandOnTheMainThread) {
  // Catches: static destructors that wait for the very region that called exit().
  const ending run = apart([] {
    std::atexit([] { say("handler\n"); });
    sennit::join([] { exit_in_a_strand(7); }, [] { fib(20); });
  });
  EXPECT_THAT(run, AllOf(ExitedWith(7), Printed("handler\n")));
}

TEST(Exit, FromAStolenBranch) {
  // Catches: an end of the process, on a worker's thread, that joins the very thread it runs on.
  const ending run = apart([] {
    std::atexit([] { say("handler\n"); });
    std::atomic<bool> never{false};
    side_by_side(
        [&] {
          while (!never) sched_yield();
        },
        [] { exit_in_a_strand(7); });
  });
  EXPECT_THAT(run, AllOf(ExitedWith(7), Printed("handler\n")));
}

TEST(Exit, FromAStrandThatHasMigrated) {
  // Catches: exit() on a fiber whose home thread waits for it.
  const ending run = apart([] {
    sennit::join(
        [] {
          migrate();
          exit_in_a_strand(7);
        },
        [] {});
  });
  EXPECT_THAT(run, ExitedWith(7));
}

TEST(Exit, FromARegionOfAStaticRuntime) {
  // Catches: a runtime's destructor that waits for a region which can no longer end.
  const ending run = apart([] {
    static sennit::runtime two{{.workers = 2}};
    two.run([] { sennit::join([] { exit_in_a_strand(7); }, [] { fib(20); }); });
  });
  EXPECT_THAT(run, ExitedWith(7));
}

TEST(Exit, WhileAnotherThreadIsInARegion) {
  // Catches: an end that waits for the program's own endless work, or pulls a runtime away under it.
  for (int i = 0; i < (sanitized ? 3 : 20); ++i) {
    const ending run = apart([] {
      std::atomic<long>& rounds = *new std::atomic<long>;
      std::thread([&] {
        for (;; ++rounds) fib(18);
      }).detach();
      await([&] { return rounds > 3; }, "the other thread's first rounds");
      leaks_are_apparent = true;
      fib(18);
    });
    ASSERT_THAT(run, ExitedWith(0)) << "in run " << i;
  }
}

TEST(Exit, WhileAnotherThreadEntersRegions) {
  // Catches: a runtime that ends between two regions of a thread which is about to enter the next.
  for (int i = 0; i < (sanitized ? 5 : 30); ++i) {
    const ending run = apart([] {
      std::atomic<long>& rounds = *new std::atomic<long>;
      std::thread([&] {
        for (;; ++rounds) fib(2);
      }).detach();
      await([&] { return rounds > 3; }, "the other thread's first rounds");
      leaks_are_apparent = true;
    });
    ASSERT_THAT(run, ExitedWith(0)) << "in run " << i;
  }
}

TEST(Exit, WhileAnotherThreadsRegionLastsForEver) {
  // Catches: the same, within one region.
  const ending run = apart([] {
    std::atomic<long>& rounds = *new std::atomic<long>;
    std::thread([&] {
      sennit::join(
          [&] {
            for (;; ++rounds) fib(15);
          },
          [] {});
    }).detach();
    await([&] { return rounds > 3; }, "the other thread's first rounds");
    leaks_are_apparent = true;
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Exit, StaticDestructorsMayJoin) {
  // Catches: a join after the default runtime has ended that crashes, hangs or starts threads nobody ends.
  const ending before = apart([] {
    static const joins_at_the_end made_before;  // so destroyed after the runtime
    fib(10);
  });
  EXPECT_THAT(before, AllOf(ExitedWith(0), Printed("joined in a destructor\n")));
  const ending after = apart([] {
    fib(10);
    static const joins_at_the_end made_after;
  });
  EXPECT_THAT(after, AllOf(ExitedWith(0), Printed("joined in a destructor\n")));
}

TEST(Exit, StaticDestructorsMayUseTheirOwnRuntime) {
  // Catches: a runtime object that outlives the default one and depends on it.
  const ending run = apart([] {
    struct owner {
      sennit::runtime two{{.workers = 2}};
      ~owner() {
        two.run(migrate);
        say("used\n");
      }
    };
    static owner made_before;
    fib(10);
  });
  EXPECT_THAT(run, AllOf(ExitedWith(0), Printed("used\n")));
}

TEST(Exit, ThreadLocalDestructorsMayJoin) {
  // Catches: per-thread state of the library that is gone by the time a thread's own objects end.
  const ending run = apart([] {
    std::thread([] {
      thread_local const joins_at_the_end last;
      fib(10);
    }).join();
    migrate();
  });
  EXPECT_THAT(run, AllOf(ExitedWith(0), Printed("joined in a destructor\n")));
}

TEST(Exit, ManyThreadsComeAndGo) {
  // Catches: a place, a stack or a thread that each passing guest leaves behind.
  const ending run = apart([] {
    sennit::runtime two{{.workers = 2}};
    const auto guest = [&] { two.run([] { return fib(8); }); };
    for (int i = 0; i < 20; ++i) std::thread(guest).join();
    const std::uint64_t fibers = two.statistics().fibers;
    for (int i = 0; i < 200; ++i) std::thread(guest).join();
    EXPECT_LT(two.statistics().fibers, fibers + 50);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

}  // namespace
}  // namespace process
