// SPDX-License-Identifier: Apache-2.0
// The real sleepers, parker and gates: a push against a worker that goes to sleep. Each case explores all
// orders; a worker that sleeps while there is work that only it can do is a deadlock.
#include "worker/searching_set.hpp"
#include "world.hpp"

#include <sennit/event.hpp>
#include <sennit/join.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace {

using explore::against;
using explore::expect_none;
using explore::listed_frame;
using explore::world;
using sennit::detail::worker;

// The left branch waits until somebody has been told of the right one, so a sleeper that is not is a deadlock.
auto forks_until(int told) {
  return [told](world& w) {
    sennit::join(
        [&w, told] {
          explore::wait_until([&w, told] { return w.flag.load(std::memory_order_relaxed) == told; });
          return w.ran(0);
        },
        [&w] { return w.ran(1); });
  };
}
// Goes to sleep once, and tells when it does not sleep any more.
void sleeps(world& w) {
  worker::current()->sleep();
  w.flag.fetch_add(1, std::memory_order_relaxed);
}

TEST(Sleep, AForkAgainstASleeper) {
  expect_none(against{.owner = forks_until(1), .thieves = {&sleeps}}.explore());
}

// What is listed and told, as by a strand that leaves.
TEST(Sleep, AListedFrameAgainstASleeper) {
  expect_none(against{.branches = 0,
                      .owner =
                          [](world& w) {
                            listed_frame listed;
                            listed.mark_stolen(&w.region);
                            worker& self = *worker::current();
                            self.frames().listed().add(listed);
                            self.announce_work();
                            explore::wait_until([&w] { return w.flag.load(std::memory_order_relaxed) == 1; });
                            explore::check(sennit::detail::listed_frames::reclaim(listed),
                                           "nobody has taken it");
                          },
                      .thieves = {&sleeps}}
                  .explore());
}

// A token is taken once, and by whoever waits for it; a signal is none.
TEST(Sleep, Tokens) {
  const auto make = [] {
    struct parked {
      sennit::detail::parker place;
      int told = 0;
    };
    auto p = std::make_shared<parked>();
    return explore::program{.threads = {{"parks",
                                         [p = p.get()] {
                                           explore::check(p->place.park(), "a token has come");
                                           explore::check(p->told == 1, "what the waker did is seen");
                                         }},
                                        {"calls",
                                         [p = p.get()] {
                                           p->told = 1;
                                           p->place.unpark();
                                         }}},
                            .at_end = [p] {}};
  };
  expect_none(explore::explore(make));
  expect_none(explore::explore(make, {.interrupted_sleeps = 1}));
}

// The time that a thread sleeps runs out as a token comes: whoever takes it sees what the waker did, and a token that came
// too late is there at the next look.
TEST(Sleep, ATokenAsTimeRunsOut) {
  expect_none(explore::explore([] {
    struct parked {
      sennit::detail::parker place;
      int told = 0;
      bool seen = false;
    };
    auto p = std::make_shared<parked>();
    return explore::program{.threads = {{"parks",
                                         [p = p.get()] {
                                           p->seen = p->place.park(std::chrono::nanoseconds(1));
                                           if (p->seen)
                                             explore::check(p->told == 1, "what the waker did is seen");
                                         }},
                                        {"calls",
                                         [p = p.get()] {
                                           p->told = 1;
                                           p->place.unpark();
                                         }}},
                            .at_end = [p] {
                              const bool left = p->place.park(std::chrono::nanoseconds(0));
                              explore::check(p->seen != left, "the token is taken once");
                            }};
  }));
}

// A second token comes as the first one is taken, and calls nobody: the thread sees what came with it, or wakes once more.
TEST(Sleep, ASecondToken) {
  expect_none(explore::explore([] {
    struct parked {
      sennit::detail::parker place;
      std::atomic<bool> over{false};
    };
    auto p = std::make_shared<parked>();
    return explore::program{.threads = {{"parks",
                                         [p = p.get()] {
                                           while (!p->over.load(std::memory_order_relaxed)) p->place.park();
                                         }},
                                        {"first", [p = p.get()] { p->place.unpark(); }},
                                        {"second",
                                         [p = p.get()] {
                                           p->over.store(true, std::memory_order_relaxed);
                                           p->place.unpark();
                                         }}},
                            .at_end = [p] {}};
  }));
}

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

TEST(Sleep, TwoComeAndGo) {
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

// They may go in any order.
TEST(Sleep, ThreeComeAndGo) {
  several s;
  std::array<unsigned, 3> order{0, 1, 2};
  do {
    for (sennit::detail::sleeping& place : s.places) s.asleep.announce(place, false);
    for (const unsigned i : order) ASSERT_FALSE(s.asleep.withdraw(s.places[i], false));
    ASSERT_TRUE(s.asleep.call_one());
    ASSERT_EQ(s.asleep.wakes(), 0U);
  } while (std::next_permutation(order.begin(), order.end()));
}

// Who saw work before it slept looks again: it owns a wake, unless another one is in flight.
TEST(Sleep, WhoSawWorkOwnsAWake) {
  several s;
  for (unsigned i = 0; i < 2; ++i) s.asleep.announce(s.places[i], false);
  EXPECT_TRUE(s.asleep.withdraw(s.places[0], true));
  EXPECT_FALSE(s.asleep.withdraw(s.places[1], true));
  EXPECT_TRUE(s.asleep.landed());
}

// Of two who would watch at the same time, one does.
TEST(Sleep, TwoWouldWatch) {
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

// One is told to look around, if it still sleeps.
TEST(Sleep, ANudgeAgainstOneThatComesAndGoes) {
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

// One who is called for owns a wake, and finds its token; who is not, finds none.
enum class caller { for_one, for_many, for_a_guest };
TEST(Sleep, ACallAgainstOneThatComesAndGoes) {
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
TEST(Sleep, TwoCallOneWhoWatches) {
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

// One ceases to watch as it is called, and another one begins: that one goes on watching.
TEST(Sleep, AnotherOneWatches) {
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
TEST(Sleep, TwoLand) {
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
// pushes sees that no wake is in flight.
TEST(Sleep, WhoLandsSeesWhoFallsAsleep) {
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

// A frame is donated to a worker that falls asleep. Catches: it sleeps on.
TEST(Sleep, ADonationAgainstASleeper) {
  const auto donates = [](world& w) {
    listed_frame donated;
    donated.mark_stolen(&w.region);
    w.all[1]->take_in(donated);
    explore::wait_until([&w] { return w.flag.load(std::memory_order_acquire) == 1; });
  };
  const auto awaits = [](world& w) {
    worker& self = *worker::current();
    while (self.frames().listed().take_donated(self) == nullptr) self.sleep();
    w.flag.store(1, std::memory_order_release);
  };
  expect_none(against{.branches = 0, .owner = donates, .thieves = {awaits}}.explore());
}

// A strand waits for an event as it comes.
TEST(Sleep, AnEventAgainstWhoWaits) {
  struct awaited {
    sennit::event come;
    int told = 0;
  };
  for (const bool looks_first : {false, true}) {
    expect_none(explore::explore([looks_first] {
      auto w = std::make_shared<world>(2, false, 8);
      auto e = std::make_shared<awaited>();
      return explore::program{.threads = {{"sets",
                                           [e = e.get()] {
                                             e->told = 1;
                                             e->come.set();
                                           }},
                                          {"waits",
                                           [e = e.get(), looks_first] {
                                             if (looks_first && !e->come.is_set()) return;
                                             e->come.wait();
                                             explore::check(e->told == 1, "what came before is seen");
                                           }}},
                              .at_end = [w, e] {}};
    }));
  }
}

// Two become idle, or cease to be, at the same time.
TEST(Sleep, TwoAreIdle) {
  expect_none(explore::explore([] {
    struct idle {
      sennit::detail::searching_set<8> set;
    };
    auto all = std::make_shared<idle>();
    for (const unsigned place : {2U, 3U}) all->set.add(place);
    const auto comes_and_goes = [all = all.get()](unsigned comes, unsigned goes) {
      all->set.add(comes);
      all->set.remove(goes);
    };
    return explore::program{
        .threads = {{"first", [=] { comes_and_goes(0, 2); }}, {"second", [=] { comes_and_goes(1, 3); }}},
        .at_end =
            [all] {
              unsigned seen = 0;
              all->set.each_after(7, 8, [&](unsigned place) {
                seen |= 1U << place;
                return true;
              });
              explore::check(seen == 3, "those are idle who came and have not gone");
            },
    };
  }));
}

// Those of the numbers sleep, and have shut the gates.
auto asleep(std::vector<unsigned> numbers) {
  return [numbers = std::move(numbers)](world& w) {
    for (const unsigned i : numbers) {
      w.core.falls_asleep(*w.all[i]);
      (void)w.core.arm_gates(w.all[i]->frames().wish().now());
    }
  };
}
// Is woken, and finds work.
void hands_on(world& w) {
  worker::current()->sleep_until_told();
  worker::current()->found_work();
  w.flag.fetch_add(1, std::memory_order_relaxed);
}
// Is woken, and finds what it came for gone: it gives up its wake as it falls asleep again.
void is_told(world& w) {
  worker::current()->sleep_until_told();
  w.flag.fetch_add(1, std::memory_order_relaxed);
}

// A fork wakes one, who wakes the other: the fork's frame is still there.
TEST(Sleep, WhoIsWokenWakesTheOther) {
  expect_none(against{.owner = forks_until(2), .thieves = {&hands_on, &hands_on}, .prepare = asleep({1, 2})}
                  .explore());
}

// A wake is in flight as the owner pushes, who then wakes nobody. The worker that lands last looks once more, behind a
// barrier: else the other one sleeps on.
void wake_is_in_flight(world& w) {
  asleep({1})(w);
  (void)w.core.asleep().call_one();
  asleep({2})(w);
}
void lands(world& w) { w.core.wake_more(); }

TEST(Sleep, WhoLandsLooksForWhatWasLeftToIt) {
  expect_none(against{.owner = forks_until(1), .thieves = {&lands, &is_told}, .prepare = &wake_is_in_flight}
                  .explore());
}

// And an earlier push has opened the owner's gate: nothing tells of the next one but that look.
TEST(Sleep, WhoLandsLooksBehindABarrier) {
  expect_none(against{
      .owner = forks_until(1), .thieves = {&lands, &is_told}, .prepare = [](world& w) {
        wake_is_in_flight(w);
        (void)w.all[0]->frames().open_push_gate(w.core.asleep(), true, w.all[0]->at_hand());
      }}.explore());
}

void nothing(world&) {}

// What each step of waking sees, and whom it wakes: one thread, and others that do nothing.
void expect_none_of(unsigned others, const std::function<void(world&)>& steps) {
  expect_none(against{
      .branches = 0, .owner = steps, .thieves = std::vector<std::function<void(world&)>>(others, &nothing)}
                  .explore());
}
void list_at(world& w, unsigned which, listed_frame& listed) {
  listed.mark_stolen(&w.region);
  w.all[which]->frames().listed().add(listed);
}
void take_back(listed_frame& listed) {
  explore::check(sennit::detail::listed_frames::reclaim(listed), "nobody has taken it");
}

TEST(Sleep, WorkOfAnyWorkerIsSeen) {
  expect_none_of(2, [](world& w) {
    for (unsigned i = 0; i < 3; ++i) {
      explore::check(!w.core.arm_gates({}), "there is no work");
      explore::check(!w.core.look_again().lasts, "there is none that lasts");
      listed_frame listed;
      list_at(w, i, listed);
      explore::check(w.core.arm_gates({}), "there is work");
      explore::check(w.core.look_again().lasts, "it lasts");
      take_back(listed);
    }
    // The first one's gate is shut; the others have none to push.
    const auto met = [&w] { return w.core.look_again().met; };
    explore::check(!met(), "no gate has been met");
    sennit::join([] { return 0; }, [] { return 0; });
    explore::check(met(), "a gate has been met");
  });
}

// Of four, two are woken, as there is work for as many; then one, as there is work for one; then none.
TEST(Sleep, AsManyAreWokenAsThereIsWorkFor) {
  expect_none_of(4, [](world& w) {
    asleep({1, 2, 3, 4})(w);
    listed_frame listed[4];
    for (unsigned i = 0; i < 4; ++i) list_at(w, i / 2, listed[i]);
    for (int i = 0; i < 2; ++i) w.all[0]->announce_work();
    explore::check(w.core.asleep().wakes() == 1, "one is woken, and nobody else while its wake is in flight");
    explore::check(w.core.wakes_up(*w.all[4], false), "it has been woken");
    const std::uint64_t barriers_before = w.core.barriers().issued();
    w.core.wake_more();
    explore::check(w.core.asleep().wakes() == 3, "it wakes two others");
    explore::check(w.core.asleep().count() == 1, "one sleeps on");
    for (listed_frame& l : listed) take_back(l);
    sennit::join([] { return 0; }, [] { return 0; });  // opens its gate, and leaves it to the wakes in flight
    w.core.wake_more();
    explore::check(w.core.asleep().wakes() == 3, "there is no work");
    explore::check(w.core.barriers().issued() == barriers_before, "another wake is in flight, and will look");
    w.core.wake_more();
    explore::check(w.core.asleep().wakes() == 3, "there is no work for the last, either");
  });
}

// Who watches is called although nobody sleeps, and wakes of others are left to it.
TEST(Sleep, WhoWatchesIsCalled) {
  expect_none_of(2, [](world& w) {
    asleep({1})(w);
    (void)w.core.asleep().call_one();
    explore::check(w.core.wakes_up(*w.all[1], false), "it has been woken");
    (void)w.all[1]->parking().park();
    const auto called = [&w] { return w.all[1]->parking().park(std::chrono::nanoseconds(0)); };
    listed_frame listed;
    list_at(w, 0, listed);

    explore::check(w.core.asleep().begin_watch(w.all[1]->sleep_place()), "nobody else watches");
    w.all[0]->announce_work();
    explore::check(called(), "who watches is called");

    asleep({2})(w);
    explore::check(w.core.asleep().begin_watch(w.all[1]->sleep_place()), "nobody else watches now");
    explore::check(w.core.asleep().withdraw(w.all[2]->sleep_place(), true) == false, "a wake is in flight");
    asleep({2})(w);
    // One more wake that lands.
    const std::uint64_t before = w.core.asleep().wakes();
    w.core.wake_more();
    explore::check(!called() && w.core.asleep().wakes() == before, "who lands leaves it to who watches");
    take_back(listed);
  });
}

// The last worker is a guest of the region, and sleeps.
void sleeping_guest(world& w, const sennit::detail::region_state& of) {
  w.core.guests = 1;
  w.all.back()->guest = true;
  w.all.back()->frames().wish().restrict_to(&of);
  w.core.falls_asleep(*w.all.back());
  (void)w.core.arm_gates(w.all.back()->frames().wish().now());
}

// Only guests sleep: a push tells that of its region, and no other one.
TEST(Sleep, AGuestIsToldOfItsRegion) {
  expect_none(against{
      .owner = forks_until(1), .thieves = {&is_told}, .prepare = [](world& w) {
        sleeping_guest(w, w.region);
      }}.explore());
  sennit::detail::region_state another;
  expect_none(against{.owner =
                          [](world& w) {
                            forks_until(0)(w);
                            explore::check(w.all[1]->sleep_place().asleep.load(), "it is not told");
                          },
                      .thieves = {&nothing},
                      .prepare = [&](world& w) { sleeping_guest(w, another); }}
                  .explore());
}

// The same by who lands, of a frame that was listed while its wake was in flight.
TEST(Sleep, AGuestIsToldByWhoLands) {
  sennit::detail::region_state another;
  for (const bool its_own : {true, false}) {
    auto listed = std::make_shared<listed_frame>();
    expect_none(against{
        .branches = 0,
        .owner =
            [&](world& w) {
              w.core.wake_more();
              explore::check(w.all[2]->sleep_place().asleep.load() != its_own, "it is told of its region");
              explore::check(sennit::detail::listed_frames::reclaim(*listed), "nobody takes it");
            },
        .thieves = {&nothing, &nothing},
        .prepare =
            [&](world& w) {
              asleep({1})(w);
              (void)w.core.asleep().call_one();
              sleeping_guest(w, its_own ? w.region : another);
              listed = std::make_shared<listed_frame>();
              listed->mark_stolen(&w.region);
              w.all[0]->frames().listed().add(*listed);
            }}.explore());
  }
}

// How many a barrier interrupts: those of the other workers that do not sleep.
TEST(Sleep, WhoSleepsIsNotInterrupted) {
  expect_none(against{.branches = 0,
                      .owner =
                          [](world& w) {
                            sennit::detail::barriers& shared = w.core.barriers();
                            const auto interrupted = [&shared] {
                              const std::uint64_t before = shared.interrupts();
                              shared.settle(shared.now());
                              return shared.interrupts() - before;
                            };
                            worker& other = *w.all[1];
                            w.core.falls_asleep(other);
                            explore::check(interrupted() == 0, "the other one sleeps");
                            explore::check(!w.core.wakes_up(other, false), "nobody has woken it");
                            explore::check(interrupted() == 1, "it does not sleep any more");
                          },
                      .thieves = {&nothing}}
                  .explore());
}

}  // namespace
