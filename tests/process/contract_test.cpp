// SPDX-License-Identifier: Apache-2.0
// The thread contract: no mutex is held across a construct. The checked variant looks.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace process {
namespace {

constexpr auto message = "a mutex";

auto breach() { return AllOf(WasKilledBy(SIGABRT), Printed(message), Printed("held across a construct")); }

void in_a_strand(void (*body)()) {
  sennit::join([=] { body(); }, [] {});
}

TEST(Contract, FindsAMutexHeldAcrossAJoin) {
  // Catches: a check that looks only where a region begins.
  const ending run = apart([] {
    in_a_strand([] {
      std::mutex m;
      const std::lock_guard guard(m);
      fib(5);
    });
  });
  EXPECT_THAT(run, breach());
}

TEST(Contract, FindsAMutexHeldAcrossAnEntry) {
  // Catches: a check that looks only inside regions.
  const ending join = apart([] {
    std::mutex m;
    const std::lock_guard guard(m);
    fib(5);
  });
  EXPECT_THAT(join, breach());
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    std::mutex m;
    const std::lock_guard guard(m);
    two.run([] { return 1; });
  });
  EXPECT_THAT(run, breach());
}

TEST(Contract, FindsAMutexHeldAcrossAGroup) {
  // Catches: a check that spawn() or wait() goes past.
  const ending spawn = apart([] {
    in_a_strand([] {
      std::mutex m;
      sennit::task_group group;
      const std::lock_guard guard(m);
      group.spawn([] {});
    });
  });
  EXPECT_THAT(spawn, breach());
  const ending outside = apart([] {
    std::mutex m;
    sennit::task_group group;
    const std::lock_guard guard(m);
    group.spawn([] {});
  });
  EXPECT_THAT(outside, breach());
  const ending wait = apart([] {
    in_a_strand([] {
      std::mutex m;
      sennit::task_group group;
      group.spawn([] {});
      const std::lock_guard guard(m);
      group.wait();
    });
  });
  EXPECT_THAT(wait, breach());
}

TEST(Contract, FindsAMutexTakenInABranchAndKept) {
  // Catches: a check of forks only; it is the join that may change threads.
  const ending run = apart([] {
    std::mutex m;
    sennit::join([&] { m.lock(); }, [] {});
    m.unlock();
  });
  EXPECT_THAT(run, breach());
}

TEST(Contract, FindsRecursiveAndTimedMutexes) {
  // Catches: a count that some kinds of locks pass by, or take below zero so that it is blind afterwards.
  const ending recursive = apart([] {
    in_a_strand([] {
      std::recursive_mutex m;
      const std::lock_guard guard(m);
      fib(5);
    });
  });
  EXPECT_THAT(recursive, breach());
  const ending timed = apart([] {
    in_a_strand([] {
      std::timed_mutex m;
      if (m.try_lock_for(1s)) fib(5);
    });
  });
  EXPECT_THAT(timed, breach());
  const ending after_timed = apart([] {
    in_a_strand([] {
      std::timed_mutex t;
      if (t.try_lock_for(1s)) t.unlock();
      std::mutex m;
      const std::lock_guard guard(m);
      fib(5);
    });
  });
  EXPECT_THAT(after_timed, breach());
}

TEST(Contract, FindsAMutexHeldByAStolenBranch) {
  // Catches: a check on the thread that forked first, only.
  const ending run = apart([] {
    side_by_side([] { pause(); },
                 [] {
                   std::mutex m;
                   const std::lock_guard guard(m);
                   fib(5);
                 });
  });
  EXPECT_THAT(run, breach());
}

TEST(Contract, IsSilentWhenLocksAreReleased) {
  // Catches: false alarms, each of which would make people turn the check off.
  const ending run = apart([] {
    std::mutex m;
    long sum = 0;
    {
      const std::lock_guard guard(m);
      ++sum;
    }
    EXPECT_EQ(fib(10), 55);
    struct tree {
      static void add(long n, std::mutex& m, long& sum) {
        if (n == 0) {
          const std::lock_guard guard(m);
          ++sum;
          return;
        }
        sennit::join([&, n] { add(n - 1, m, sum); }, [&, n] { add(n - 1, m, sum); });
        if (m.try_lock()) m.unlock();
      }
    };
    tree::add(10, m, sum);
    EXPECT_EQ(sum, 1025);
    migrate();
    std::unique_lock lock(m, std::defer_lock);
    fib(5);
    lock.lock();
    lock.unlock();
    fib(5);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Contract, IsSilentWhenAnotherThreadHoldsTheLock) {
  // Catches: a count that is not per thread.
  const ending run = apart([] {
    std::mutex m;
    std::atomic<bool> held{false};
    std::atomic<bool> end{false};
    std::thread holder([&] {
      const std::lock_guard guard(m);
      held = true;
      await([&] { return end.load(); }, "the end");
    });
    await([&] { return held.load(); }, "the lock is held");
    EXPECT_EQ(fib(15), 610);
    migrate();
    end = true;
    holder.join();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Contract, IsSilentAboutConditionVariables) {
  // Catches: a wait that gives the mutex back behind the count's back.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    std::mutex m;
    std::condition_variable changed;
    bool ready = false;
    two.run([&] {
      sennit::join(
          [&] {
            sennit::blocking([&] {
              std::unique_lock lock(m);
              changed.wait(lock, [&] { return ready; });
            });
            fib(10);
          },
          [&] {
            fib(10);
            {
              const std::lock_guard guard(m);
              ready = true;
            }
            changed.notify_all();
            fib(10);
          });
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Contract, CanBeSwitchedOff) {
  // Catches: SENNIT_CHECK=0 ignored.
  const ending run = apart([] {
    setenv("SENNIT_CHECK", "0", 1);
    std::mutex m;
    const std::lock_guard guard(m);
    EXPECT_EQ(fib(5), 5);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

}  // namespace
}  // namespace process
