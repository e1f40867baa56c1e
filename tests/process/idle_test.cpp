// SPDX-License-Identifier: Apache-2.0
// A runtime without work costs nothing, and wakes when there is some.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <sys/resource.h>

#include <thread>

namespace process {
namespace {

std::chrono::microseconds cpu_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto sum = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return sum(used.ru_utime) + sum(used.ru_stime);
}

constexpr auto span = 2s;

// Whether the other threads sleep through the span, and the process uses a thousandth of it at most.
bool idle_throughout(std::chrono::milliseconds span) {
  const others before = look_at_others();
  const auto start = cpu_time();
  std::this_thread::sleep_for(span);
  const auto used = cpu_time() - start;
  const others after = look_at_others();
  if (after.awake == 0 &&
      (with_tsan || (after.switches == before.switches && used < std::chrono::microseconds(span) / 1000)))
    return true;
  std::fprintf(stderr, "%d are awake after %ld wake-ups and %ld us of CPU time\n", after.awake,
               after.switches - before.switches, static_cast<long>(used.count()));
  return false;
}

bool becomes_idle(std::chrono::milliseconds span) {
  usleep(200'000);  // a worker that has slept for a while wakes once, to give back its stacks
  return eventually([=] { return idle_throughout(span); });
}

class Idle : public testing::TestWithParam<sennit::steal_barrier> {};
INSTANTIATE_TEST_SUITE_P(Barriers, Idle,
                         testing::Values(sennit::steal_barrier::automatic, sennit::steal_barrier::fence),
                         [](const auto& info) {
                           return info.param == sennit::steal_barrier::fence ? "fence" : "automatic";
                         });

TEST_P(Idle, CostsNoTime) {
  // Catches: a worker that polls, naps or never gives up looking.
  const ending run = apart([] {
    sennit::runtime four({.workers = 4, .barrier = GetParam()});
    for (int i = 0; i < 100; ++i) four.run([] { fib(10); });
    four.run(migrate);
    EXPECT_TRUE(becomes_idle(span));
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_P(Idle, WorkersSleepBesideAStrandThatDoesNotFork) {
  // Catches: workers that cannot sleep while somebody is in a region.
  const ending run = apart([] {
    sennit::runtime four({.workers = 4, .barrier = GetParam()});
    four.run([] {
      fib(10);
      EXPECT_TRUE(becomes_idle(span / 2));
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_P(Idle, WakesForWorkAfterwards) {
  // Catches: a wake-up lost between going to sleep and the next push.
  const ending run = apart([] {
    sennit::runtime three({.workers = 3, .barrier = GetParam()});
    for (int i = 0; i < 40; ++i) {
      usleep(static_cast<useconds_t>(i * i * 30));  // from still spinning to asleep for long
      three.run([] {
        // Needs all three at once.
        std::atomic<int> present{0};
        const auto arrive = [&] {
          ++present;
          await([&] { return present == 3; }, "a third worker wakes up");
        };
        sennit::join(arrive, arrive, arrive);
      });
    }
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_P(Idle, WakesForTheFirstForkOfALongStrand) {
  // Catches: a push gate that is shut in time, and open again by the time of the first push after a long
  // pause.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2, .barrier = GetParam()});
    two.run([] {
      for (int i = 0; i < 20; ++i) {
        usleep(i % 2 == 0 ? 10'000 : 100);
        migrate();
      }
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(IdleAfterBlocking, SparesSleep) {
  // Catches: a spare that is sent home and looks for work all the same.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    two.run([] {
      sennit::task_group group;
      for (int i = 0; i < 20; ++i) group.spawn([] { sennit::blocking([] { usleep(2000); }); });
      group.wait();
    });
    EXPECT_TRUE(becomes_idle(span / 2));
  });
  EXPECT_THAT(run, ExitedWith(0));
}

}  // namespace
}  // namespace process
