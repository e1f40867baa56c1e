// SPDX-License-Identifier: Apache-2.0
// The extension point, and the errors of settings.
#include "support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace beats_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Beats when it is told to, and writes down what it was told.
class by_hand : public sennit::ext::beat_source {
 public:
  const char* name() const noexcept override { return "by_hand"; }
  std::string refusal() override { return why_not; }
  bool start(sennit::ext::beat_target& who) noexcept override {
    started.push_back(&who);
    return starts;
  }
  void stop(sennit::ext::beat_target&) noexcept override { ++stopped; }
  void rest(sennit::ext::beat_target&) noexcept override { ++rests; }
  void wake(sennit::ext::beat_target&) noexcept override { ++wakes; }

  std::string why_not;
  bool starts = true;
  std::vector<sennit::ext::beat_target*> started;
  int stopped = 0;
  int rests = 0;
  int wakes = 0;
};

TEST(Extension, BeatsByPings) {
  // Catches: an interface that only the built-in sources can live with.
  by_hand source;
  {
    const beats beating({.period = 1ms,
                         .workers = false,
                         .calling_thread = true,
                         .on_beat = &count_beat,
                         .extension = &source});
    EXPECT_STREQ(beating.source(), "by_hand");
    ASSERT_EQ(source.started.size(), 1U);
    EXPECT_EQ(source.started[0]->thread(), gettid());
    EXPECT_EQ(source.started[0]->period(), 1ms);
    for (std::uint64_t i = 1; i <= 5; ++i) {
      const std::uint64_t before = beats_here;
      EXPECT_TRUE(source.started[0]->ping());
      EXPECT_TRUE(work_until([&] { return beats_here == before + 1; }));
      EXPECT_EQ(delivered(beating), i);
    }
  }
  EXPECT_EQ(source.stopped, 1);
}

TEST(Extension, PingsThatAreNotTakenDoNotAddUp) {
  // Catches: a queue of signals that grows while the thread cannot take them, to be worked off in a burst.
  by_hand source;
  const beats beating({.period = 1ms,
                       .workers = false,
                       .calling_thread = true,
                       .on_beat = &count_beat,
                       .extension = &source});
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, sennit::ext::beat_signal());
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  for (int i = 0; i < 10; ++i) source.started[0]->ping();
  EXPECT_EQ(delivered(beating), 0U);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_TRUE(work_until([&] { return delivered(beating) >= 1; }));
  const beat_count c = beating.statistics()[0];
  EXPECT_EQ(c.delivered, 1U);
  EXPECT_EQ(c.missed, 9U);
}

TEST(Extension, ThatCannotSaysWhy) {
  // Catches: an error that swallows the source's own reason.
  by_hand source;
  source.why_not = "no hand; lend it one";
  EXPECT_THAT(reason_against({.period = 1ms, .workers = false, .extension = &source}),
              AllOf(HasSubstr("by_hand"), HasSubstr("no hand; lend it one")));
  EXPECT_TRUE(source.started.empty());
}

TEST(Extension, ThatLeavesTheCallerOutIsAnError) {
  // Catches: a program that believes that it gets beats; a record in the list of beats that has gone.
  by_hand source;
  source.starts = false;
  const beats_options options{.period = 1ms, .workers = false, .calling_thread = true, .extension = &source};
  EXPECT_THAT(reason_against(options),
              AllOf(HasSubstr("by_hand"), HasSubstr("the calling thread gets none")));
  EXPECT_EQ(source.stopped, 0);
  source.starts = true;
  EXPECT_EQ(reason_against(options), "");
}

TEST(Extension, HearsOfGuestsThatLeaveAndReturn) {
  // Catches: a guest that is set up anew at each region, or gets beats outside.
  by_hand source;
  sennit::runtime one({.workers = 1});
  const beats beating({.period = 1ms, .in = &one, .extension = &source});
  for (int i = 0; i < 3; ++i) one.run([] {});
  EXPECT_EQ(source.started.size(), 1U);
  EXPECT_EQ(source.rests, 3);
  EXPECT_EQ(source.wakes, 2);
}

TEST(Signal, ThatIsNobodysIsIgnored) {
  // Catches: a stray signal, of a timer that is gone, that is taken for a beat or ends the process.
  const beats beating({.period = 10s, .workers = false, .calling_thread = true, .on_beat = &count_beat});
  const std::uint64_t before = beats_here;
  for (const int value : {0, 1, -1, 123456, 0x7fffffff}) {
    sigval carried{};
    carried.sival_int = value;
    sigqueue(getpid(), sennit::ext::beat_signal(), carried);
  }
  raise(sennit::ext::beat_signal());
  for (int i = 0; i < 20; ++i) work_a_little();
  EXPECT_EQ(beats_here, before);
}

struct variable {
  variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~variable() { unsetenv(name_); }
  const char* name_;
};

TEST(Setting, IsTakenWhereTheProgramSaysNothing) {
  // Catches: a documented spelling that is refused, or a variable that overrules the program.
  const beats_options nothing{.workers = false, .most_share = 1};
  {
    const variable set("SENNIT_BEAT", "250us,ping_thread");
    const beats beating(nothing);
    EXPECT_EQ(beating.period(), 250us);
    EXPECT_STREQ(beating.source(), "ping_thread");
    const beats own({.period = 1ms, .source = beat_source_kind::polled, .workers = false});
    EXPECT_EQ(own.period(), 1ms);
    EXPECT_STREQ(own.source(), "polled");
  }
  {
    const variable set("SENNIT_BEAT", "polled");
    EXPECT_EQ(beats(nothing).period(), 100us);
    EXPECT_STREQ(beats(nothing).source(), "polled");
  }
  {
    const variable set("SENNIT_BEAT", "20000ns");
    EXPECT_EQ(beats(nothing).period(), 20us);
  }
  const variable set("SENNIT_BEAT", "");
  EXPECT_EQ(beats(nothing).period(), 100us);
}

TEST(Setting, OfAShareLengthensThePeriod) {
  // Catches: a period near the cost of a beat, with which a program seems to hang; a limit that nobody asked for.
  const auto period = [](double share) {
    const beats beating({.period = 10us,
                         .source = beat_source_kind::posix_timers,
                         .workers = false,
                         .calling_thread = true,
                         .most_share = share});
    EXPECT_EQ(beating.statistics()[0].period, beating.period());
    return beating.period();
  };
  EXPECT_EQ(period(1), 10us);
  EXPECT_GE(period(0.05), 40us);  // no beat costs less than 2 us
  EXPECT_NEAR(static_cast<double>(period(0.001).count()), 10 * static_cast<double>(period(0.01).count()),
              10'000);
  // Catches: a time that is too long for its type, so that the strictest share is no limit.
  EXPECT_EQ(period(1e-300), beats_options::most_period);
}

TEST(Setting, OfAShareIsTakenWhereTheProgramSaysNothing) {
  // Catches: a limit that users cannot change, or change for a program that has set it.
  const auto period = [](double share) {
    return beats({.period = 10us,
                  .source = beat_source_kind::posix_timers,
                  .workers = false,
                  .most_share = share})
        .period();
  };
  const auto usual = period(0);
  EXPECT_EQ(usual, period(0.05));
  const variable set("SENNIT_BEAT_SHARE", "0.005");
  EXPECT_GT(period(0), 9 * usual);
  EXPECT_EQ(period(0.05), usual);
  const variable none("SENNIT_BEAT_SHARE", "1");
  EXPECT_EQ(period(0), 10us);
}

TEST(Setting, ThatIsBadIsNamed) {
  // Catches: a value that is guessed at or ignored, and an error that does not say which it is.
  for (const char* bad : {"100", "us", "5us", "11s", "100 us", "-1ms", "100us,", "100us,signals", "signals",
                          ",", "100us,polled,1", "99999999999999999999s", "1e3us"}) {
    const variable set("SENNIT_BEAT", bad);
    EXPECT_THAT(reason_against({.workers = false}),
                AllOf(HasSubstr("SENNIT_BEAT"), HasSubstr(std::string("\"") + bad + "\""),
                      HasSubstr("100us,posix_timers")));
  }
  for (const char* bad : {"9", "0", "65", "URGENT", "SIGURG", "-40"}) {
    const variable set("SENNIT_BEAT_SIGNAL", bad);
    EXPECT_THAT(reason_against({.workers = false}),
                AllOf(HasSubstr("SENNIT_BEAT_SIGNAL"), HasSubstr("or URG")));
    EXPECT_THROW(sennit::runtime({.workers = 1}), std::invalid_argument);
  }
  for (const char* bad : {"0", "5", "5%", "-0.1", "1.01", "nan", "inf", "0.05 ", "half"}) {
    const variable set("SENNIT_BEAT_SHARE", bad);
    EXPECT_THAT(reason_against({.workers = false}),
                AllOf(HasSubstr("SENNIT_BEAT_SHARE"), HasSubstr(std::string("\"") + bad + "\""),
                      HasSubstr("0.05 for 5% of the time")));
  }
  for (const double bad : {-0.5, 1.5, std::nan("")}) {
    EXPECT_THAT(reason_against({.workers = false, .most_share = bad}),
                HasSubstr("beats_options::most_share"));
  }
  EXPECT_THAT(reason_against({.period = 1us, .workers = false}),
              AllOf(HasSubstr("beats_options::period"), HasSubstr("1000 ns"), HasSubstr("10 us")));
}

}  // namespace
}  // namespace beats_test
