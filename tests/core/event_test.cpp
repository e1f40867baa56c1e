// SPDX-License-Identifier: Apache-2.0
#include <sennit/event.hpp>
#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/poller.hpp>
#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

// Lets the events come that are due, when it is polled.
class alarm_clock final : public sennit::poller {
 public:
  alarm_clock() { begin(); }
  ~alarm_clock() { end(); }

  void wait(std::chrono::nanoseconds from_now) {
    sennit::event due;
    {
      const std::lock_guard guard(lock_);
      alarms_.push_back({std::chrono::steady_clock::now() + from_now, &due});
    }
    await_more();
    due.wait();
  }
  unsigned polls() const { return polls_.load(); }

 private:
  struct alarm {
    std::chrono::steady_clock::time_point at;
    sennit::event* due;
  };
  unsigned poll() noexcept override {
    ++polls_;
    const std::lock_guard guard(lock_);
    const auto now = std::chrono::steady_clock::now();
    return static_cast<unsigned>(std::erase_if(alarms_, [&](const alarm& a) {
      if (a.at > now) return false;
      await_fewer();
      a.due->set();
      return true;
    }));
  }

  std::mutex lock_;
  std::vector<alarm> alarms_;
  std::atomic<unsigned> polls_{0};
};

class Events : public testing::TestWithParam<unsigned> {
 protected:
  sennit::runtime runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Events, testing::Values(1U, 2U, 8U));

// Catches: a wait that blocks its worker, so that as many waits as workers stop the program.
TEST_P(Events, ManyStrandsWaitForEventsThatAThreadBrings) {
  constexpr int count = 200;
  std::vector<sennit::event> events(count);
  std::atomic<int> waiting{0};
  std::thread brings([&] {
    while (waiting.load() < count) std::this_thread::yield();
    for (sennit::event& e : events) e.set();
  });
  runtime_.run([&] {
    sennit::parallel_for(0, count, [&](int i) {
      ++waiting;
      events[static_cast<std::size_t>(i)].wait();
    });
  });
  brings.join();
  EXPECT_EQ(waiting, count);
}

// Catches: an event that came before the wait is waited for again.
TEST_P(Events, AnEventThatHasComeIsNotWaitedFor) {
  sennit::event e;
  EXPECT_FALSE(e.is_set());
  e.set();
  EXPECT_TRUE(e.is_set());
  runtime_.run([&] { e.wait(); });
  sennit::event outside;
  outside.set();
  outside.wait();
}

// Catches: nobody polls while all workers sleep, or while all are busy; a strand that is never resumed.
TEST_P(Events, StrandsWaitForAPoller) {
  alarm_clock clock;
  std::atomic<int> woken{0};
  runtime_.run([&] {
    sennit::parallel_for(0, 64, [&](int i) {
      clock.wait(std::chrono::microseconds(i * 100));
      ++woken;
    });
  });
  EXPECT_EQ(woken, 64);
}

// Catches: events wait for a busy worker without bound.
TEST_P(Events, ABusyProgramStillPolls) {
  alarm_clock clock;
  std::atomic<unsigned> polled{0};
  runtime_.run([&] {
    sennit::join([&] { clock.wait(2ms); },
                 [&] {
                   // Serial work on each worker that the runtime has.
                   sennit::parallel_for(0, static_cast<int>(GetParam()), [&](int) {
                     const auto until = std::chrono::steady_clock::now() + 20s;
                     while (clock.polls() == 0 && std::chrono::steady_clock::now() < until) {
                     }
                     if (clock.polls() != 0) ++polled;
                   });
                 });
  });
  EXPECT_EQ(polled, GetParam());
}

// Catches: a worker without anything to do spins while an event is awaited.
TEST_P(Events, WhoWaitsLongUsesLittleOfTheProcessor) {
  alarm_clock clock;
  const std::clock_t before = std::clock();
  runtime_.run([&] { clock.wait(500ms); });
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 8);
}

// Catches: a poller that is polled after its end.
TEST(Pollers, ComeAndGoWhileOthersWait) {
  alarm_clock lasts;
  sennit::runtime two(2);
  std::thread others([&] {
    for (int i = 0; i < 200; ++i) {
      auto brief = std::make_unique<alarm_clock>();
      two.run([&] { brief->wait(10us); });
    }
  });
  for (int i = 0; i < 200; ++i) lasts.wait(10us);
  others.join();
}

}  // namespace
