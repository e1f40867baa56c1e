// SPDX-License-Identifier: Apache-2.0
// The real waking, with its gates and sleepers: a push against a worker that goes to sleep. Each case
// explores all orders; a worker that sleeps while there is work that only it can do is a deadlock.
#include "world.hpp"

#include <sennit/join.hpp>

#include <gtest/gtest.h>

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

TEST(Waking, AForkAgainstASleeper) {
  expect_none(against{.owner = forks_until(1), .thieves = {&sleeps}}.explore());
}

// What is listed and told, as by a strand that leaves.
TEST(Waking, AListedFrameAgainstASleeper) {
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
TEST(Waking, WhoIsWokenWakesTheOther) {
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

TEST(Waking, WhoLandsLooksForWhatWasLeftToIt) {
  expect_none(against{.owner = forks_until(1), .thieves = {&lands, &is_told}, .prepare = &wake_is_in_flight}
                  .explore());
}

// And an earlier push has opened the owner's gate: nothing tells of the next one but that look.
TEST(Waking, WhoLandsLooksBehindABarrier) {
  expect_none(against{
      .owner = forks_until(1), .thieves = {&lands, &is_told}, .prepare = [](world& w) {
        wake_is_in_flight(w);
        (void)w.all[0]->frames().open_push_gate(w.core.asleep(), true, w.all[0]->at_hand());
      }}.explore());
}

void nothing(world&) {}

// What each step of waking sees, and whom it wakes: one thread, and others that do nothing.
void expect_none_step_by_step(unsigned others, const std::function<void(world&)>& steps) {
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

TEST(Waking, WorkOfAnyWorkerIsSeen) {
  expect_none_step_by_step(2, [](world& w) {
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
TEST(Waking, AsManyAreWokenAsThereIsWorkFor) {
  expect_none_step_by_step(4, [](world& w) {
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
TEST(Waking, WhoWatchesIsCalled) {
  expect_none_step_by_step(2, [](world& w) {
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
TEST(Waking, AGuestIsToldOfItsRegion) {
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
TEST(Waking, AGuestIsToldByWhoLands) {
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
TEST(Waking, WhoSleepsIsNotInterrupted) {
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
