// SPDX-License-Identifier: Apache-2.0
// fork(2) in a program that uses Sennit: the child is a program like any other.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <semaphore>
#include <string>
#include <thread>
#include <vector>

namespace process {
namespace {

// GCC's AddressSanitizer does not see to its locks at a fork: if another thread holds one, the child never
// gets it.
constexpr bool only_quiet_forks = with_asan && with_gcc;

// A fork within the body of a test, in which it joins the group that is killed after a hang.
template <class Body>
void in_fork(Body body) {
  if (only_quiet_forks) await([] { return look_at_others().awake == 0; }, "all other threads sleep");
  const pid_t child = fork_again();
  if (child == 0) {
    body();
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

class Fork : public testing::Test {
 protected:
  void SetUp() override {
    if (emulated) GTEST_SKIP() << "qemu-user aborts in a child that makes threads";
    if (with_tsan && with_gcc) GTEST_SKIP() << "the tool takes the child's threads for the parent's";
  }
};

TEST_F(Fork, ChildUsesTheDefaultRuntime) {
  // Catches: a lock that the child inherits locked, a runtime that waits for threads which the child does not
  // have.
  const ending run = apart([] {
    EXPECT_EQ(fib(20), 6765);
    in_fork([] {
      EXPECT_EQ(fib(20), 6765);
      migrate();
    });
    EXPECT_EQ(fib(20), 6765);
    migrate();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_F(Fork, ChildGoesOnWithReducers) {
  // Catches: views, or a lock around them, that the child inherits from a thread which it does not have.
  const ending run = apart([] {
    sennit::reducer<std::string> letters;
    std::thread([&] { *letters += 'a'; }).join();
    *letters += 'b';
    const auto goes_on = [&] {
      sennit::join([&] { *letters += 'c'; }, [&] { *letters += 'd'; });
      std::thread([&] { *letters += '0'; }).join();
      EXPECT_EQ(letters.value(), "a0bcd");
    };
    in_fork(goes_on);
    goes_on();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_F(Fork, ChildUsesTheParentsRuntimeAndOneOfItsOwn) {
  // Catches: runtime objects that are dead in the child, or whose destructor joins threads of the parent.
  const ending run = apart([] {
    sennit::runtime old{{.workers = 2}};
    old.run(migrate);
    in_fork([&] {
      old.run(migrate);
      sennit::runtime own{{.workers = 2}};
      own.run(migrate);
    });
    old.run(migrate);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_F(Fork, ChildThatNeverUsesSennitJustExits) {
  // Catches: static destructors in the child that wait for threads of the parent.
  const ending run = apart([] {
    sennit::runtime scoped{{.workers = 2}};
    scoped.run(migrate);
    migrate();
    in_fork([] {});
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_F(Fork, ChildHasOneThreadUntilItForks) {
  // Catches: threads started by the fork handler, in children that only mean to call exec.
  const ending run = apart([] {
    migrate();
    in_fork([] {
      EXPECT_EQ(thread_count(), 1);
      migrate();
      EXPECT_GT(thread_count(), 1);
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_F(Fork, GrandchildrenToo) {
  // Catches: a handler that works for the first fork only.
  const ending run = apart([] {
    migrate();
    in_fork([] {
      migrate();
      in_fork([] {
        in_fork([] { migrate(); });
        migrate();
      });
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_F(Fork, BesideAThreadInARegion) {
  // Catches: a lock of the runtime held by the other thread at the fork, and needed in the child.
  if (only_quiet_forks) GTEST_SKIP() << "the other thread may hold a lock of the tool";
  const ending run = apart([] {
    std::atomic<bool> end{false};
    std::thread busy([&] {
      while (!end) fib(15);
    });
    for (int i = 0; i < (sanitized ? 10 : 50); ++i) {
      in_fork([] {
        EXPECT_EQ(fib(15), 610);
        sennit::region region;
        // Without exceptions the region comes to its end.
        EXPECT_EQ(region.run([&] {
          region.cancel();
          fib(5);
        }),
                  !SENNIT_EXCEPTIONS);
      });
      EXPECT_EQ(fib(15), 610);
    }
    end = true;
    busy.join();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_F(Fork, BesideAThreadThatMakesRuntimes) {
  // Catches: a lock or a static object's guard that is taken while a runtime begins or ends, held at the
  // fork.
  if (only_quiet_forks) GTEST_SKIP() << "the other thread may hold a lock of the tool";
  const ending run = apart([] {
    std::atomic<bool> end{false};
    std::thread maker([&] {
      while (!end) {
        sennit::runtime brief{{.workers = 2}};
        brief.run([] { return fib(5); });
      }
    });
    for (int i = 0; i < (sanitized ? 10 : 100); ++i) {
      in_fork([] {
        sennit::runtime own{{.workers = 2}};
        EXPECT_EQ(own.run([] { return fib(10); }), 55);
        EXPECT_EQ(fib(10), 55);
      });
    }
    end = true;
    maker.join();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_F(Fork, BesideAThreadThatFeedsAGroup) {
  // Catches: the lock of a group held by the other thread at the fork, and needed in the child.
  if (only_quiet_forks) GTEST_SKIP() << "the other thread may hold a lock of the tool";
  const ending run = apart([] {
    sennit::task_group group;
    std::atomic<bool> end{false};
    std::thread feeder([&] {
      while (!end) {
        for (int c = 0; c < 200; ++c) group.spawn([] {});
        group.wait();
      }
    });
    for (int i = 0; i < (sanitized ? 20 : 200); ++i) {
      in_fork([&] {
        for (int c = 0; c < 50; ++c) group.spawn([] {});
      });
    }
    end = true;
    feeder.join();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_F(Fork, ChildRunsWhatAGroupHasNotBegun) {
  // Catches: a wait for children that nobody runs, a place in the parent's runtime that is given back to it.
  const ending run = apart([] {
    setenv("SENNIT_WORKERS", "1", 1);
    std::atomic<int> ran{0};
    sennit::task_group group;
    for (int i = 0; i < 10; ++i) group.spawn([&] { ++ran; });
    in_fork([&] {
      group.spawn([&] { ++ran; });
      group.wait();
      EXPECT_EQ(ran, 11);
      group.spawn([&] { group.spawn([&] { ++ran; }); });
      group.wait();
      EXPECT_EQ(ran, 12);
    });
    group.wait();
    EXPECT_EQ(ran, 10);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_F(Fork, ChildThatLostAChildOfAGroupSaysSo) {
  // Catches: a child that waits for ever for what a thread of the parent runs.
  const ending run = apart([] {
    setenv("SENNIT_WORKERS", "2", 1);
    std::atomic<bool> begun{false};
    std::atomic<bool> end{false};
    sennit::task_group group;
    group.spawn([&] {
      begun = true;
      await([&] { return end.load(); }, "the fork");
    });
    await([&] { return begun.load(); }, "a worker takes the child");
    const pid_t child = fork_again();
    if (child == 0) {
      group.wait();
      _exit(3);  // it must not come here
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
    end = true;
    group.wait();
  });
  EXPECT_THAT(run, AllOf(ExitedWith(0), Printed("forked inside a parallel region")));
}

TEST_F(Fork, ByAThreadThatIsNotTheMainOne) {
  // Catches: a child in which the default runtime's end, run by another thread than the parent's main one,
  // hangs.
  const ending run = apart([] {
    migrate();
    std::thread([] {
      migrate();
      in_fork([] { migrate(); });
    }).join();
    migrate();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(ForkInARegion, ChildWithoutLostBranchesComesToItsEnd) {
  // Catches: a lock of a deque or of the sleepers, held by a thief at the fork, that the child's forks wait
  // for.
  if (with_tsan) GTEST_SKIP() << "the tool follows only the fiber that forked";
  const ending run = apart([] {
    sennit::runtime two{{.workers = 2}};
    for (int forks = 0; forks < (sanitized ? 20 : 200);) {
      pid_t child = -1;
      two.run([&] {
        fib(12);  // has a thief awake, and at it
        if (gettid() != getpid())
          return;  // the strand has left the thread that a child would need to end the region
        child = fork_again();
        if (child == 0) {
          EXPECT_EQ(fib(12), 144);
        }
      });
      if (child == 0) return;
      if (child == -1) continue;
      int status = -1;
      waitpid(child, &status, 0);
      ASSERT_EQ(status, 0) << "at fork " << forks;
      ++forks;
    }
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(ForkInARegion, ChildWithPendingBranchesRunsThemItself) {
  // Catches: pending frames of the parent's strand that the child cannot take back.
  if (with_tsan) GTEST_SKIP() << "the tool follows only the fiber that forked";
  const ending run = apart([] {
    sennit::runtime one{{.workers = 1}};
    pid_t child = -1;
    const long sum = one.run([&] {
      auto [a, b, c] = sennit::join([&] { return child = fork_again(), 1; }, [] { return fib(10); },
                                    [] { return fib(11); });
      return a + b + c;
    });
    EXPECT_EQ(sum, 1 + 55 + 89);
    if (child == 0) return;
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(ForkInARegion, ChildThatLostABranchSaysSo) {
  // Catches: a child that waits for ever for a branch which a thread of the parent runs.
  const ending run = apart([] {
    sennit::runtime two{{.workers = 2}};
    pid_t child = -1;
    std::atomic<bool> forked{false};
    two.run([&] {
      side_by_side(
          [&] {
            child = fork_again();
            forked = true;
          },
          [&] { await([&] { return forked.load(); }, "the fork"); });
      if (child == 0) _exit(3);  // it must not come here
    });
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  });
  EXPECT_THAT(run, AllOf(ExitedWith(0), Printed("forked inside a parallel region")));
}

TEST(ForkInARegion, ChildForkedByAStolenBranchDoesNotHang) {
  // Catches: a child whose only thread, a worker's, looks for work for ever once its branch has ended.
  const ending run = apart([] {
    sennit::runtime two{{.workers = 2}};
    pid_t child = -1;
    two.run([&] {
      side_by_side([] {},
                   [&] {
                     usleep(20'000);  // by now the other branch has ended, and its strand waits for this one
                     child = fork_again();
                     if (child == 0) {
                       EXPECT_EQ(fib(10), 55);
                     }
                   });
    });
    if (child == 0) return;
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  });
  EXPECT_THAT(run, AllOf(ExitedWith(0), Printed("forked inside a parallel region")));
}

TEST(ForkInARegion, ParentGoesOn) {
  // Catches: a fork handler that leaves the parent's locks taken.
  const ending run = apart([] {
    for (int i = 0; i < 20; ++i) {
      sennit::join(
          [] {
            const pid_t child = fork_again();
            if (child == 0) _exit(0);
            waitpid(child, nullptr, 0);
          },
          [] { fib(10); });
    }
    migrate();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

}  // namespace
}  // namespace process
