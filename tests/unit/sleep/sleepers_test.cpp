// SPDX-License-Identifier: Apache-2.0
// Who is woken, who owns a wake, and who watches: one step after the other.
#include "sleep/sleepers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

namespace {

using sennit::detail::sleepers;
using sennit::detail::sleeping;

constexpr bool guest = true;
constexpr bool worker = false;

bool token(sleeping& place) { return place.call.park(std::chrono::nanoseconds(0)); }

// Catches a wake of one who does not sleep, of another one than the latest, without a token, or beside one that is in
// flight.
TEST(sleepers, are_called_one_at_a_time_the_latest_first) {
  sleepers all;
  std::array<sleeping, 2> places;
  EXPECT_FALSE(all.any());
  EXPECT_TRUE(all.call_one());
  EXPECT_EQ(all.wakes(), 0U);
  for (sleeping& place : places) all.announce(place, worker);
  EXPECT_TRUE(all.any());
  EXPECT_EQ(all.count(), 2);

  for (std::size_t i = places.size(); i-- > 0;) {
    EXPECT_TRUE(all.call_one());
    EXPECT_FALSE(places[i].asleep.load());
    EXPECT_TRUE(token(places[i]));
    EXPECT_EQ(all.count(), static_cast<int>(i));
    EXPECT_EQ(all.wakes(), places.size() - i);
    // Its wake is in flight.
    EXPECT_TRUE(all.call_one());
    for (sleeping& place : places) EXPECT_FALSE(token(place));
    EXPECT_EQ(all.wakes(), places.size() - i);
    EXPECT_TRUE(all.withdraw(places[i], false));
    EXPECT_TRUE(all.landed());
  }
  EXPECT_FALSE(all.any());
  EXPECT_EQ(all.deepest(), 1U);
}

// Catches a list that loses others with the one who leaves it.
TEST(sleepers, leave_from_anywhere) {
  for (const std::size_t leaves : {0U, 1U, 2U}) {
    sleepers all;
    std::array<sleeping, 3> places;
    for (sleeping& place : places) all.announce(place, worker);
    EXPECT_FALSE(all.withdraw(places[leaves], false));
    EXPECT_FALSE(places[leaves].asleep.load());
    EXPECT_EQ(all.count(), 2);
    // And comes back, as the latest.
    all.announce(places[leaves], worker);
    std::vector<std::size_t> expected{leaves};
    for (std::size_t i = places.size(); i-- > 0;) {
      if (i != leaves) expected.push_back(i);
    }
    for (const std::size_t next : expected) {
      EXPECT_EQ(all.wake(1, nullptr), 1U);
      EXPECT_TRUE(token(places[next])) << next;
    }
    EXPECT_EQ(all.wake(1, nullptr), 0U);
  }
}

// Catches one who saw work and owns no wake, so that nobody looks again; and a second wake for the same work.
TEST(sleepers, that_saw_work_own_a_wake_unless_there_is_one) {
  sleepers all;
  std::array<sleeping, 3> places;
  for (sleeping& place : places) all.announce(place, worker);
  EXPECT_TRUE(all.withdraw(places[0], true));
  EXPECT_FALSE(all.withdraw(places[1], true));
  EXPECT_TRUE(all.call_one());
  EXPECT_TRUE(places[2].asleep.load());
  EXPECT_TRUE(all.landed());
  EXPECT_EQ(all.wakes(), 0U);
  // One who saw none owns none.
  EXPECT_FALSE(all.withdraw(places[2], false));
  all.announce(places[0], worker);
  EXPECT_TRUE(all.call_one());
  EXPECT_TRUE(token(places[0]));
}

// Catches more or fewer than asked for, and depths that do not tell how many wakes led to the latest.
TEST(sleepers, are_woken_as_many_as_asked_for) {
  sleepers all;
  std::array<sleeping, 5> places;
  for (sleeping& place : places) all.announce(place, worker);
  EXPECT_EQ(all.wake(0, nullptr), 0U);
  EXPECT_EQ(all.count(), 5);
  EXPECT_EQ(all.wake(2, nullptr), 2U);
  EXPECT_EQ(all.deepest(), 1U);
  EXPECT_TRUE(token(places[4]));
  EXPECT_TRUE(token(places[3]));
  EXPECT_TRUE(places[2].asleep.load());
  EXPECT_EQ(all.wake(1, &places[4]), 1U);
  EXPECT_EQ(all.deepest(), 2U);
  EXPECT_EQ(all.wake(1, &places[2]), 1U);
  EXPECT_EQ(all.deepest(), 3U);
  EXPECT_EQ(places[1].depth, 3U);
  EXPECT_EQ(all.wake(7, nullptr), 1U);
  EXPECT_EQ(places[0].depth, 1U);
  EXPECT_EQ(all.deepest(), 3U);
  EXPECT_EQ(all.wakes(), 5U);
  EXPECT_EQ(all.count(), 0);
  for (int left = 5; left > 0; --left) EXPECT_EQ(all.landed(), left == 1);
}

// Catches a guest that is woken for work that it may not take, one that is not told of, and one that is woken twice.
TEST(sleepers, that_are_guests_are_woken_by_name) {
  sleepers all;
  sleeping guests_place;
  sleeping workers_place;
  all.announce(guests_place, guest);
  EXPECT_TRUE(all.any());
  EXPECT_FALSE(all.call_one());
  EXPECT_EQ(all.wake(1, nullptr), 0U);
  all.announce(workers_place, worker);
  EXPECT_EQ(all.count(), 2);
  EXPECT_TRUE(all.call_one());
  EXPECT_TRUE(token(workers_place));
  EXPECT_TRUE(all.landed());
  EXPECT_FALSE(all.call_one());
  EXPECT_TRUE(guests_place.asleep.load());
  EXPECT_FALSE(token(guests_place));

  EXPECT_TRUE(all.wake_guest(guests_place));
  EXPECT_FALSE(all.wake_guest(guests_place));
  EXPECT_TRUE(token(guests_place));
  EXPECT_EQ(all.wakes(), 2U);
  EXPECT_EQ(all.count(), 0);
  EXPECT_TRUE(all.withdraw(guests_place, false));
  EXPECT_TRUE(all.call_one());
  EXPECT_TRUE(all.landed());
  EXPECT_TRUE(all.call_one());

  // One that leaves by itself.
  all.announce(guests_place, guest);
  EXPECT_FALSE(all.withdraw(guests_place, false));
  EXPECT_FALSE(all.any());
  EXPECT_TRUE(all.call_one());
  // And the place as that of one who takes any work.
  all.announce(guests_place, worker);
  EXPECT_TRUE(all.call_one());
  EXPECT_TRUE(token(guests_place));
}

// Catches two who watch, one who is called twice, and one who is called after it has ceased to watch.
TEST(sleepers, are_watched_for_by_one) {
  sleepers all;
  std::array<sleeping, 2> places;
  sleeping sleeps_on;
  all.announce(sleeps_on, worker);
  all.announce(places[0], worker);
  EXPECT_TRUE(all.call_one());
  EXPECT_TRUE(token(places[0]));
  EXPECT_TRUE(all.withdraw(places[0], false));

  EXPECT_FALSE(all.watched());
  EXPECT_TRUE(all.begin_watch(places[0]));
  EXPECT_FALSE(all.begin_watch(places[1]));
  EXPECT_TRUE(all.watched());
  all.end_watch(places[1]);
  EXPECT_TRUE(all.watched());

  EXPECT_TRUE(all.call_one());
  EXPECT_TRUE(token(places[0]));
  EXPECT_EQ(all.wakes(), 2U);
  EXPECT_FALSE(all.watched());
  EXPECT_TRUE(all.call_one());
  EXPECT_FALSE(token(places[0]));
  EXPECT_EQ(all.wakes(), 2U);

  EXPECT_TRUE(all.begin_watch(places[1]));
  all.end_watch(places[1]);
  EXPECT_FALSE(all.watched());
  EXPECT_TRUE(all.call_one());
  EXPECT_FALSE(token(places[1]));
  EXPECT_TRUE(sleeps_on.asleep.load());
  EXPECT_TRUE(all.landed());
}

// Catches a sleeper who is taken out of the list, or counted as woken, because it is to look around.
TEST(sleepers, that_are_nudged_sleep_on) {
  sleepers all;
  sleeping place;
  all.nudge();
  all.announce(place, worker);
  all.nudge();
  EXPECT_TRUE(token(place));
  EXPECT_TRUE(place.asleep.load());
  EXPECT_EQ(all.count(), 1);
  EXPECT_EQ(all.wakes(), 0U);
  EXPECT_TRUE(all.call_one());
  EXPECT_TRUE(token(place));
}

}  // namespace
