// SPDX-License-Identifier: Apache-2.0
// The real sleepers: who sleeps and who watches, and whose wake is in flight, as threads come and go, call and land. Each
// case explores all orders.
#include "expect.hpp"
#include "sleep/sleepers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

namespace {

using explore::expect_none;

// Who sleeps, and whose wake is in flight, by workers that come and go at the same time.
struct several {
  sennit::detail::sleepers asleep;
  std::array<sennit::detail::sleeping, 3> places;
  int landed = 0;
  int waked = 0;

  // What is to be so once no wake is in flight: none is, and nobody sleeps.
  void all_awake() {
    explore::check(asleep.count() == 0, "nobody is counted any more");
    const std::uint64_t wakes = asleep.wakes();
    explore::check(asleep.call_one() && asleep.wakes() == wakes, "nobody is woken any more");
    // The first wake is for the first who sleeps.
    asleep.announce(places[0], false);
    explore::check(asleep.call_one() && !places[0].asleep.load(), "no wake is in flight");
    explore::check(asleep.landed(), "and this is the only one");
  }
};

// Two announce themselves, and withdraw, at the same time. Catches: one stays counted or listed, so it is woken though it is
// awake, or the list is written without its lock.
TEST(Sleepers, TwoComeAndGo) {
  expect_none(explore::explore([] {
    auto s = std::make_shared<several>();
    const auto comes = [s = s.get()](unsigned i) {
      s->asleep.announce(s->places[i], false);
      explore::check(!s->asleep.withdraw(s->places[i], false), "nobody has woken it");
    };
    return explore::program{
        .threads = {{"first", [=] { comes(0); }}, {"second", [=] { comes(1); }}},
        .at_end = [s] { s->all_awake(); },
    };
  }));
}

// They may go in any order. Catches: a list that loses its other members when one in its middle goes.
TEST(Sleepers, ThreeComeAndGo) {
  several s;
  std::array<unsigned, 3> order{0, 1, 2};
  do {
    for (sennit::detail::sleeping& place : s.places) s.asleep.announce(place, false);
    for (const unsigned i : order) ASSERT_FALSE(s.asleep.withdraw(s.places[i], false));
    ASSERT_TRUE(s.asleep.call_one());
    ASSERT_EQ(s.asleep.wakes(), 0U);
  } while (std::next_permutation(order.begin(), order.end()));
}

// Who saw work before it slept looks again: it owns a wake, unless another one is in flight. Catches: it
// sleeps on the work that it saw, or both own a wake.
TEST(Sleepers, WhoSawWorkOwnsAWake) {
  several s;
  for (unsigned i = 0; i < 2; ++i) s.asleep.announce(s.places[i], false);
  EXPECT_TRUE(s.asleep.withdraw(s.places[0], true));
  EXPECT_FALSE(s.asleep.withdraw(s.places[1], true));
  EXPECT_TRUE(s.asleep.landed());
}

// Of two who would watch at the same time, one does. Catches: both watch, and one of them is never called.
TEST(Sleepers, TwoWouldWatch) {
  expect_none(explore::explore([] {
    auto s = std::make_shared<several>();
    auto watches = std::make_shared<std::array<bool, 2>>();
    const auto begins = [s = s.get(), watches = watches.get()](unsigned i) {
      (*watches)[i] = s->asleep.begin_watch(s->places[i]);
    };
    return explore::program{
        .threads = {{"first", [=] { begins(0); }}, {"second", [=] { begins(1); }}},
        .at_end = [s, watches] { explore::check((*watches)[0] != (*watches)[1], "one watches"); },
    };
  }));
}

// One is told to look around, if it still sleeps. Catches: it is told after it has left the list, or counts as woken.
TEST(Sleepers, ANudgeAgainstOneThatComesAndGoes) {
  expect_none(explore::explore([] {
    auto s = std::make_shared<several>();
    return explore::program{
        .threads = {{"sleeper",
                     [s = s.get()] {
                       s->asleep.announce(s->places[0], false);
                       explore::check(!s->asleep.withdraw(s->places[0], false),
                                      "nobody has woken it for good");
                     }},
                    {"other", [s = s.get()] { s->asleep.nudge(); }}},
        .at_end =
            [s] {
              (void)s->places[0].call.park(std::chrono::nanoseconds(0));
              s->all_awake();
            },
    };
  }));
}

// One who is called for owns a wake, and finds its token; who is not, finds none. Catches: a wake that nobody owns, or one that
// is in flight twice.
enum class caller { for_one, for_many, for_a_guest };
TEST(Sleepers, ACallAgainstOneThatComesAndGoes) {
  for (const caller by : {caller::for_one, caller::for_many, caller::for_a_guest}) {
    expect_none(explore::explore([by] {
      auto s = std::make_shared<several>();
      s->asleep.announce(s->places[1], false);
      const auto comes = [s = s.get(), by](unsigned i) {
        s->asleep.announce(s->places[i], by == caller::for_a_guest);
        if (!s->asleep.withdraw(s->places[i], false)) return;
        explore::check(s->places[i].call.park(), "a token has come");
        (void)s->asleep.landed();
      };
      return explore::program{
          .threads = {{"sleeper", [=] { comes(0); }},
                      {"producer",
                       [s = s.get(), by] {
                         switch (by) {
                           case caller::for_one: (void)s->asleep.call_one(); break;
                           case caller::for_many: (void)s->asleep.wake(1, nullptr); break;
                           case caller::for_a_guest: (void)s->asleep.wake_guest(s->places[0]);
                         }
                       }}},
          .at_end =
              [s] {
                if (s->asleep.withdraw(s->places[1], false)) (void)s->asleep.landed();
                s->all_awake();
              },
      };
    }));
  }
}

// Who watches owns a wake. It is called once, by one of two who push; and once it has ceased to watch, by nobody.
// Catches: two tokens for one wake, or a wake that is lost.
TEST(Sleepers, TwoCallOneWhoWatches) {
  expect_none(explore::explore([] {
    auto s = std::make_shared<several>();
    s->asleep.announce(s->places[0], false);
    (void)s->asleep.call_one();
    (void)s->asleep.withdraw(s->places[0], false);
    (void)s->places[0].call.park();
    explore::check(s->asleep.begin_watch(s->places[0]), "nobody else watches");
    const auto pushes = [s = s.get()] { explore::check(s->asleep.call_one(), "a wake is in flight"); };
    return explore::program{
        .threads = {{"watcher",
                     [s = s.get()] {
                       s->asleep.end_watch(s->places[0]);
                       s->waked = s->places[0].call.park(std::chrono::nanoseconds(0)) ? 1 : 0;
                     }},
                    {"first", pushes},
                    {"second", pushes}},
        .at_end =
            [s] {
              s->waked += s->places[0].call.park(std::chrono::nanoseconds(0)) ? 1 : 0;
              explore::check(s->waked == static_cast<int>(s->asleep.wakes()) - 1, "a token for each wake");
              explore::check(!s->asleep.watched(), "nobody watches");
              explore::check(s->asleep.landed(), "the wake is in flight until it lands");
              s->all_awake();
            },
    };
  }));
}

// One ceases to watch as it is called, and another one begins: that one goes on watching. Catches: the
// first one ends the watch of the second.
TEST(Sleepers, AnotherOneWatches) {
  expect_none(explore::explore([] {
    auto s = std::make_shared<several>();
    s->asleep.announce(s->places[0], false);
    (void)s->asleep.call_one();
    explore::check(s->asleep.begin_watch(s->places[0]), "nobody else watches");
    auto watches = std::make_shared<bool>(false);
    return explore::program{
        .threads = {{"first", [s = s.get()] { s->asleep.end_watch(s->places[0]); }},
                    {"second",
                     [s = s.get(), watches = watches.get()] {
                       (void)s->asleep.call_one();
                       *watches = s->asleep.begin_watch(s->places[1]);
                     }}},
        .at_end =
            [s, watches] {
              explore::check(*watches, "the first one does not watch any more");
              explore::check(s->asleep.watched(), "the second one does");
            },
    };
  }));
}

// Two whose wakes are in flight land at the same time: one of them is the last, and looks once more.
// Catches: neither is, and work stays that nobody looks for.
TEST(Sleepers, TwoLand) {
  expect_none(explore::explore([] {
    auto s = std::make_shared<several>();
    for (unsigned i = 0; i < 2; ++i) s->asleep.announce(s->places[i], false);
    (void)s->asleep.wake(2, nullptr);
    auto last = std::make_shared<std::array<bool, 2>>();
    const auto lands = [s = s.get(), last = last.get()](unsigned i) { (*last)[i] = s->asleep.landed(); };
    return explore::program{
        .threads = {{"first", [=] { lands(0); }}, {"second", [=] { lands(1); }}},
        .at_end =
            [s, last] {
              explore::check((*last)[0] != (*last)[1], "one is the last");
              s->all_awake();
            },
    };
  }));
}

// The last wake lands as a worker falls asleep, and a push leaves its frame to that wake: who lands sees the sleeper, or who
// pushes sees that no wake is in flight. Catches: neither, and the sleeper is left with a frame that nobody takes.
TEST(Sleepers, WhoLandsSeesWhoFallsAsleep) {
  expect_none(explore::explore([] {
    auto s = std::make_shared<several>();
    s->asleep.announce(s->places[0], false);
    (void)s->asleep.call_one();
    auto sees = std::make_shared<bool>(false);
    return explore::program{
        .threads = {{"lands",
                     [s = s.get(), sees = sees.get()] {
                       (void)s->asleep.landed();
                       *sees = s->asleep.any();
                     }},
                    {"falls asleep, and pushes",
                     [s = s.get()] {
                       s->asleep.announce(s->places[1], false);
                       (void)s->asleep.call_one();
                     }}},
        .at_end = [s, sees] { explore::check(*sees || s->asleep.wakes() == 2, "the sleeper is told"); },
    };
  }));
}

}  // namespace
