// SPDX-License-Identifier: Apache-2.0
// Cases with too many orders for every day; a million takes some minutes.
#include "world.hpp"

#include <gtest/gtest.h>

namespace {

using explore::against;
using explore::expect_none;
using explore::listed_frame;
using explore::loop_of;
using explore::thief;
using explore::thief_of_color;
using explore::thieves_own_deques;
using explore::world;
using sennit::detail::worker;

void expect_none_so_far(const explore::findings& found) { EXPECT_EQ(found.fault, ""); }

TEST(LargeDeque, TwoNestedTwoThieves) {
  const auto forks = [](world& w) {
    sennit::join(
        [&w] {
          sennit::join([&w] { return w.ran(0); }, [&w] { return w.ran(1); });
          return 0;
        },
        [&w] { return w.ran(2); });
  };
  expect_none_so_far(against{.branches = 3, .owner = forks, .thieves = {thief(2), thief(2)}}.explore(
      {.most_executions = 2'000'000}));
}
TEST(LargeDeque, OnlyWhatSuitsAThief) {
  expect_none(
      against{.owner = &explore::work_of_color, .thieves = {thief_of_color(1), thief_of_color(2)}}.explore(
          {.most_executions = 1'000'000}));
}
TEST(LargeLoop, ThreeIterationsTwoThieves) {
  expect_none(against{.fenced = true,
                      .branches = 3,
                      .owner = loop_of(3, 1),
                      .thieves = {thief(1), thief(1)},
                      .prepare = &thieves_own_deques}
                  .explore());
}

// Two that sleep: who is woken wakes the other, as there is work for it.
void sleeps_and_hands_on(world& w) {
  worker& self = *worker::current();
  self.sleep();
  self.found_work();
  w.flag.fetch_add(1, std::memory_order_relaxed);
}
TEST(LargeSleep, TwoSleepersOfAListedFrame) {
  expect_none_so_far(against{.branches = 0,
                             .owner =
                                 [](world& w) {
                                   listed_frame listed[2];
                                   worker& self = *worker::current();
                                   for (listed_frame& l : listed) {
                                     l.mark_stolen(&w.region);
                                     self.frames().listed().add(l);
                                   }
                                   self.announce_work();
                                   explore::wait_until(
                                       [&w] { return w.flag.load(std::memory_order_relaxed) == 2; });
                                   for (listed_frame& l : listed)
                                     (void)sennit::detail::listed_frames::reclaim(l);
                                 },
                             .thieves = {&sleeps_and_hands_on, &sleeps_and_hands_on}}
                         .explore({.most_executions = 2'000'000}));
}

// A wake lands while another worker is on its way to sleep, and a third one pushes.
TEST(LargeSleep, WhoLandsAgainstWhoFallsAsleep) {
  const auto forks = [](world& w) {
    sennit::join(
        [&w] {
          explore::wait_until([&w] { return w.flag.load(std::memory_order_relaxed) == 1; });
          return w.ran(0);
        },
        [&w] { return w.ran(1); });
  };
  const auto sleeps = [](world& w) {
    worker::current()->sleep();
    w.flag.fetch_add(1, std::memory_order_relaxed);
  };
  expect_none_so_far(against{
      .owner = forks, .thieves = {[](world& w) { w.core.wake_more(); }, sleeps}, .prepare = [](world& w) {
        w.core.falls_asleep(*w.all[1]);
        (void)w.core.asleep().call_one();
      }}.explore({.most_executions = 1'000'000}));
}

}  // namespace
