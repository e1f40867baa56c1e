// SPDX-License-Identifier: Apache-2.0
// Beats: by each source, at the rate that was asked for, until the end and no longer.
#include "support.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace beats_test {
namespace {

class Source : public testing::TestWithParam<beat_source_kind> {
 protected:
  void SetUp() override {
    if (!works(GetParam())) GTEST_SKIP() << "this kernel refuses it";
  }
  beats_options caller(std::chrono::nanoseconds period) const {
    return {.period = period,
            .source = GetParam(),
            .workers = false,
            .calling_thread = true,
            .on_beat = &count_beat};
  }
};

std::string parameter_name(const testing::TestParamInfo<beat_source_kind>& info) { return name(info.param); }
INSTANTIATE_TEST_SUITE_P(Each, Source, testing::ValuesIn(with_signals), parameter_name);

TEST_P(Source, BeatsTheCallingThread) {
  // Catches: a source that never fires, counts what nobody saw, or fires faster than asked.
  const std::uint64_t before = beats_here;
  const beats beating(caller(1ms));
  EXPECT_STREQ(beating.source(), name(GetParam()).c_str());
  EXPECT_EQ(beating.period(), 1ms);
  EXPECT_TRUE(work_until([&] { return beats_here - before >= 5; }));
  const std::vector<beat_count> counts = beating.statistics();
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].thread, gettid());
  EXPECT_GE(counts[0].delivered, 5U);
  EXPECT_LE(counts[0].delivered, counts[0].asked + 1);
}

TEST_P(Source, ThatIsStoppedLeavesTheThreadAlone) {
  // Catches: a timer that outlives its object; a signal on its way that kills the process, or calls on_beat late.
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t before = beats_here;
    beats beating(caller(100us));
    if (i % 2 == 0) {
      EXPECT_TRUE(work_until([&] { return beats_here > before; }));
    }
    beating.stop();
    const std::uint64_t then = beats_here;
    const auto counted = delivered(beating);
    for (int k = 0; k < 20; ++k) work_a_little();
    EXPECT_EQ(beats_here, then);
    EXPECT_EQ(delivered(beating), counted);
    beating.stop();  // once more is nothing
  }
}

TEST_P(Source, BeatsEachWorker) {
  // Catches: threads of the runtime that are not found, or that block the signal.
  sennit::runtime three({.workers = 3});
  const beats beating({.period = 1ms, .source = GetParam(), .in = &three, .on_beat = &count_beat});
  three.run([&] {
    // All three at once: each waits until it has had a beat.
    std::atomic<int> here{0};
    const auto branch = [&] {
      ++here;
      EXPECT_TRUE(work_until([&] { return here == 3; }));
      const std::uint64_t before = beats_here;
      EXPECT_TRUE(work_until([&] { return beats_here >= before + 2; }));
    };
    sennit::join(branch, branch, branch);
  });
  const std::vector<beat_count> counts = beating.statistics();
  EXPECT_EQ(counts.size(), 3U);
  for (const beat_count& c : counts) EXPECT_LE(c.delivered, c.asked + 1);
}

TEST_P(Source, BeatsWorkersThatAreBusyAlready) {
  // Catches: only threads found that begin to work after the beats.
  sennit::runtime two({.workers = 2});
  two.run([&] {
    std::atomic<bool> enough{false};
    sennit::join(
        [&] {
          // The other one has been at work for long.
          std::this_thread::sleep_for(5ms);
          const beats beating({.period = 1ms, .source = GetParam()});
          EXPECT_TRUE(work_until([&] {
            const auto counts = beating.statistics();
            return counts.size() == 2 && counts[0].delivered >= 2 && counts[1].delivered >= 2;
          }));
          enough = true;
        },
        [&] { EXPECT_TRUE(work_until([&] { return enough.load(); })); });
  });
}

TEST_P(Source, OfAThreadThatEnds) {
  // Catches: signals to a thread that is gone, or to the next one with its number; counts that are lost with it.
  sennit::runtime one({.workers = 1});
  const beats beating({.period = 500us, .source = GetParam(), .in = &one, .on_beat = &count_beat});
  for (int i = 0; i < 5; ++i) {
    std::thread([&] {
      one.run([] { EXPECT_TRUE(work_until([] { return beats_here >= 2; })); });
      const std::uint64_t then = beats_here;
      for (int k = 0; k < 100; ++k) work_a_little();
      EXPECT_LE(beats_here, then + 1) << "outside the region it is no worker";
    }).join();
  }
  EXPECT_EQ(beating.statistics().size(), 5U);
  EXPECT_GE(delivered(beating), 10U);
}

TEST_P(Source, LetsTheCallersThreadEnd) {
  // Catches: a source that keeps beating who is gone until the object is.
  std::unique_ptr<beats> beating;
  std::thread([&] {
    beating = std::make_unique<beats>(caller(200us));
    EXPECT_TRUE(work_until([] { return beats_here >= 2; }));
  }).join();
  const auto counts = beating->statistics();
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_GE(counts[0].delivered, 2U);
  usleep(2000);
  EXPECT_EQ(beating->statistics()[0].asked, counts[0].asked);
}

TEST_P(Source, MayOutliveItsRuntime) {
  // Catches: beats that look at workers which have gone.
  std::unique_ptr<beats> beating;
  {
    sennit::runtime brief({.workers = 2});
    beating = std::make_unique<beats>(beats_options{.period = 200us, .source = GetParam(), .in = &brief});
    brief.run([&] { EXPECT_TRUE(work_until([&] { return delivered(*beating) >= 3; })); });
  }
  EXPECT_GE(delivered(*beating), 3U);
  beating->stop();
  EXPECT_GE(delivered(*beating), 3U);
}

TEST_P(Source, LeavesASleepingWorkerAsleep) {
  // Catches: an idle runtime whose workers are woken a thousand times a second.
  sennit::runtime four({.workers = 4});
  four.run([] {});
  const beats beating({.period = 100us, .source = GetParam(), .in = &four});
  const auto came = [&] {
    std::uint64_t sum = 0;
    for (const beat_count& c : beating.statistics()) sum += c.asked + c.delivered;
    return sum;
  };
  // Once its three threads have all begun and gone to sleep, none is asked for a beat.
  EXPECT_TRUE(process::eventually([&] {
    if (beating.statistics().size() < 3) return false;
    const std::uint64_t before = came();
    usleep(10000);
    return came() == before;
  }));
}

TEST(Beats, OfTwoObjectsDoNotMix) {
  // Catches: a beat of one object that is taken for the other's.
  if (!works(beat_source_kind::ping_thread) || !works(beat_source_kind::posix_timers)) GTEST_SKIP();
  static thread_local volatile int slow = 0;
  const beats often({.period = 200us,
                     .source = beat_source_kind::posix_timers,
                     .workers = false,
                     .calling_thread = true,
                     .on_beat = &count_beat});
  beats seldom({.period = 10s,
                .source = beat_source_kind::ping_thread,
                .workers = false,
                .calling_thread = true,
                .on_beat = [](void*) noexcept {
                  slow = slow + 1;
                  return true;
                }});
  const std::uint64_t before = beats_here;
  EXPECT_TRUE(work_until([&] { return beats_here >= before + 5; }));
  EXPECT_EQ(slow, 0);
  seldom.stop();
  const std::uint64_t then = beats_here;
  EXPECT_TRUE(work_until([&] { return beats_here >= then + 5; }));
}

TEST(Beats, ComeOnceMoreWhereTheyCouldDoNothing) {
  // Catches: a beat that comes at a wrong moment and is lost until the next; one that is tried for ever.
  if (!works(beat_source_kind::posix_timers)) GTEST_SKIP();
  static thread_local volatile int calls = 0;
  const beats beating({.period = 20ms,
                       .source = beat_source_kind::posix_timers,
                       .workers = false,
                       .calling_thread = true,
                       .on_beat = [](void*) noexcept {
                         calls = calls + 1;
                         return false;
                       }});
  EXPECT_TRUE(work_until([&] { return beating.statistics()[0].delivered >= 3; }));
  const beat_count c = beating.statistics()[0];
  EXPECT_GE(c.retries, 1U);
  EXPECT_LE(c.retries, 3 * c.delivered);
}

TEST(Beats, KeepErrno) {
  // Catches: a handler after which a system call seems to have failed otherwise.
  const beats beating({.period = 100us,
                       .source = beat_source_kind::posix_timers,
                       .workers = false,
                       .calling_thread = true,
                       .on_beat = [](void*) noexcept {
                         errno = EBADMSG;
                         beats_here = beats_here + 1;
                         return true;
                       }});
  const std::uint64_t before = beats_here;
  errno = 0;
  const auto last = process::clock::now() + process::patience / 3;
  while (beats_here < before + 20 && process::clock::now() < last) {
    if (process::sanitized) sched_yield();
  }
  EXPECT_EQ(errno, 0);
  EXPECT_GE(beats_here, before + 20);
}

TEST(Beats, DoNotDisturbAnotherSignal) {
  // Catches: a handler of the program's that is replaced, or a beat during it that breaks it.
  static volatile int alarms = 0;
  struct sigaction mine{};
  mine.sa_handler = [](int) {
    const auto until = process::clock::now() + 1ms;  // long enough to get one itself
    while (process::clock::now() < until) {
    }
    alarms = alarms + 1;
  };
  struct sigaction before{};
  sigaction(SIGUSR1, &mine, &before);
  const std::uint64_t then = beats_here;
  const beats beating({.period = 100us,
                       .source = beat_source_kind::posix_timers,
                       .workers = false,
                       .calling_thread = true,
                       .on_beat = &count_beat});
  for (int i = 1; i <= 10; ++i) {
    raise(SIGUSR1);
    EXPECT_TRUE(work_until([&] { return alarms == i; }));
  }
  EXPECT_TRUE(work_until([&] { return beats_here > then; }));
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(Beats, ComeOnTheSignalStack) {
  // Catches: a signal frame on a strand's stack, which may be at its end.
  if (process::with_tsan) GTEST_SKIP() << "the tool calls handlers where it likes";
  static std::atomic<bool> on_alternate{false};
  static std::atomic<int> seen{0};
  sennit::runtime two({.workers = 2});
  const beats beating(
      {.period = 200us, .source = beat_source_kind::posix_timers, .in = &two, .on_beat = [](void*) noexcept {
         stack_t now{};
         sigaltstack(nullptr, &now);
         on_alternate = (now.ss_flags & SS_ONSTACK) != 0;
         ++seen;
         return true;
       }});
  two.run([] { EXPECT_TRUE(work_until([] { return seen >= 3; })); });
  EXPECT_TRUE(on_alternate);
}

TEST(Beats, GoOnWhileStrandsForkAndWait) {
  // Catches: a beat in the middle of a switch, a push or a sleep that the runtime does not bear.
  sennit::runtime four({.workers = 4});
  const beats beating(
      {.period = 50us, .source = beat_source_kind::posix_timers, .in = &four, .on_beat = &count_beat});
  for (int i = 0; i < (process::sanitized ? 2 : 10); ++i) {
    EXPECT_EQ(four.run([] { return process::fib(process::sanitized ? 16 : 24); }),
              process::sanitized ? 987 : 46368);
    four.run(process::migrate);
  }
  EXPECT_TRUE(work_until([&] {
    four.run([] { process::fib(15); });
    return delivered(beating) > 0;
  }));
}

TEST(Polled, AreDueOncePerPeriod) {
  // Catches: a poll that is never due, or due at every call; one that is due on a thread that nobody beats.
  EXPECT_FALSE(sennit::beat_due());
  const beats beating({.period = 2ms,
                       .source = beat_source_kind::polled,
                       .workers = false,
                       .calling_thread = true,
                       .on_beat = &count_beat});
  const std::uint64_t before = beats_here;
  std::uint64_t due = 0;
  EXPECT_TRUE(work_until([&] { return (due += sennit::beat_due() ? 1 : 0) >= 10; }));
  EXPECT_EQ(beats_here, before + due);
  const beat_count c = beating.statistics()[0];
  EXPECT_EQ(c.delivered, due);
  EXPECT_LE(c.delivered + c.missed, c.asked + 1);
  std::thread([] {
    const auto until = process::clock::now() + 10ms;
    while (process::clock::now() < until) EXPECT_FALSE(sennit::beat_due());
  }).join();
}

TEST(Polled, DoNotWaitForALongerPeriodThatWasThereBefore) {
  // Catches: a thread that looks again no sooner than the beat that it waited for before is due.
  const auto polling = [](std::chrono::nanoseconds period) {
    return beats_options{
        .period = period, .source = beat_source_kind::polled, .workers = false, .calling_thread = true};
  };
  {
    // Until the clock is known.
    const beats often(polling(2ms));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(work_until([] { return sennit::beat_due(); }));
  }
  const beats seldom(polling(10s));
  const auto begin = process::clock::now();
  const auto settled = begin + 50ms;
  while (process::clock::now() < settled) EXPECT_FALSE(sennit::beat_due());
  const beats often(polling(1ms));
  EXPECT_TRUE(work_until([] { return sennit::beat_due(); }));
  EXPECT_LT(process::clock::now() - begin, 9s);
}

TEST(Polled, EndWithTheirObject) {
  // Catches: polls that go on asking a list which is gone.
  for (int i = 0; i < 3; ++i) {
    beats beating(
        {.period = 20us, .source = beat_source_kind::polled, .workers = false, .calling_thread = true});
    EXPECT_TRUE(work_until([] { return sennit::beat_due(); }));
    beating.stop();
    EXPECT_FALSE(sennit::beat_due());
  }
}

}  // namespace
}  // namespace beats_test
