// SPDX-License-Identifier: Apache-2.0
// Which forks are worth a wake, in virtual time.
#include "policy/patience.hpp"
#include "policy/waking.hpp"

#include <gtest/gtest.h>

namespace {

using sennit::policy::patience;
using sennit::policy::waking;
using enum sennit::policy::waking::verdict;

constexpr auto worth = waking::worth_ns;

// Catches a first fork that waits for a second one although nobody would look for it.
TEST(waking, where_nobody_watches_each_push_is_worth_a_wake) {
  waking w;
  EXPECT_EQ(w.met(false, true, 0, 1, 0, 1), wake);
  EXPECT_EQ(w.met(false, true, 1, 1, 0, 1), wake);
}

// Catches a wake for a fork that is over by the next one, and a gate that costs more than two pushes.
TEST(waking, a_fork_that_is_over_by_the_next_push_opens_the_gate) {
  waking w;
  for (std::uint64_t now = 0; now < 100 * worth; now += 2 * worth) {
    w.forget();
    EXPECT_EQ(w.met(true, true, now, 1, 0, 1), wait);
    EXPECT_EQ(w.met(true, true, now + worth, 1, 0, 1), over);
  }
  // The frames of older forks do not matter: they were noted, or are in somebody's sight.
  w.forget();
  EXPECT_EQ(w.met(true, true, 0, 1, 3, 8), wait);
  EXPECT_EQ(w.met(true, true, 9 * worth, 1, 3, 6), over);
}

// Catches a fork that lasts while its branch forks on, and that nobody is told of.
TEST(waking, a_fork_that_lasts_is_told_of_within_some_microseconds_of_the_owners) {
  waking w;
  EXPECT_EQ(w.met(true, true, 0, 1, 0, 1), wait);
  std::uint64_t now = 0;
  while (w.met(true, true, now, 1, 0, 2 + now % 7) == wait) ++now;
  EXPECT_EQ(now, worth);
}

// A loop claims and claims, and pushes nothing.
TEST(waking, a_loop_that_goes_on_lasts) {
  waking w;
  EXPECT_EQ(w.met(true, true, 0, 1, 0, 1), wait);
  EXPECT_EQ(w.met(true, false, worth - 1, 1, 0, 1), wait);
  EXPECT_EQ(w.met(true, false, worth, 1, 0, 1), wake);
}

// Catches a watcher that takes what was noted before the gate was last shut for a frame that is there, or that waits for a note
// where nothing was ever pushed with the gate shut.
TEST(waking, who_watches_needs_no_note) {
  waking w;
  EXPECT_FALSE(w.lasts(worth - 1, 0, 1, 0, 1));
  EXPECT_TRUE(w.lasts(worth, 0, 1, 0, 1));
  EXPECT_EQ(w.met(true, true, 0, 1, 0, 1), wait);
  w.forget();
  EXPECT_FALSE(w.lasts(2 * worth, worth + 1, 1, 0, 1));
  EXPECT_TRUE(w.lasts(2 * worth + 1, worth + 1, 1, 0, 1));
}

// Catches a frame that is taken for another one in its place: stolen, or of a deque that has begun anew.
TEST(waking, what_has_left_the_deque_is_over) {
  waking w;
  EXPECT_EQ(w.met(true, true, 0, 1, 0, 1), wait);
  EXPECT_EQ(w.met(true, true, worth, 1, 1, 3), over);
  EXPECT_EQ(w.met(true, true, 0, 1, 0, 1), wait);
  EXPECT_EQ(w.met(true, true, worth, 2, 0, 3), over);
}

// Catches a strand that forks once and then computes: nobody else will tell.
TEST(waking, who_watches_finds_what_was_there_for_long) {
  waking w;
  EXPECT_FALSE(w.lasts(worth, 0, 1, 4, 4));
  EXPECT_TRUE(w.lasts(worth, 0, 1, 0, 1)) << "there since the gate was shut";
  EXPECT_EQ(w.met(true, true, 100, 1, 0, 1), wait);
  EXPECT_FALSE(w.lasts(100 + worth - 1, 0, 1, 0, 1));
  EXPECT_TRUE(w.lasts(100 + worth, 0, 1, 0, 1));
  EXPECT_FALSE(w.lasts(100 + worth, 0, 1, 1, 2)) << "another frame";
}

// Catches children that nobody is told of: the first of several was noted and then stolen, and their owner pushes nothing more.
TEST(waking, who_watches_finds_what_was_left_beside_the_noted_frame) {
  waking w;
  EXPECT_EQ(w.met(true, true, 0, 1, 0, 1), wait);
  EXPECT_FALSE(w.lasts(9 * worth, 0, 1, 1, 7)) << "since when is not known";
  EXPECT_FALSE(w.lasts(10 * worth - 1, 0, 1, 1, 7));
  EXPECT_TRUE(w.lasts(10 * worth, 0, 1, 1, 7));
}

// An owner that forks for `branch` ns each `period` ns, and one worker that watches as search.cpp does. How often that is woken,
// or finds something, in a second of virtual time; how often the owner met its gate.
struct outcome {
  int disturbed = 0;
  int met = 0;
  std::uint64_t first_found = 0;
};
outcome second_of(std::uint64_t branch, std::uint64_t period) {
  waking gate;
  patience p;
  outcome seen;
  bool shut = false;
  std::uint64_t shut_at = 0;
  std::uint64_t fork_at = 0;
  p.woken_in_vain();
  for (std::uint64_t now = 0; now < 1'000'000'000;) {
    if (!shut) {
      gate.forget();
      shut = true;
      shut_at = now;
    }
    const std::uint64_t nap_ends = now + p.nap_ns();
    bool forks = false;
    bool called = false;
    for (; fork_at < nap_ends && !called; fork_at += period) {
      forks = true;
      if (!shut) continue;
      ++seen.met;
      const auto said = gate.met(true, true, fork_at, 1, 0, 1);
      called = said == wake;
      shut = said == wait;
    }
    now = nap_ends;
    const bool there = now - (fork_at - period) < branch;
    if (called || (shut && gate.lasts(now, shut_at, 1, 0, there ? 1 : 0))) {
      ++seen.disturbed;
      if (seen.first_found == 0) seen.first_found = now;
    }
    if (!p.goes_on_after_nap(forks)) break;
  }
  return seen;
}

// Catches wakes for forks that nobody could come for in time, and owners that pay for them.
TEST(waking, short_forks_wake_nobody_and_meet_their_gate_twice_a_nap) {
  for (const std::uint64_t branch : {100, 400, 2000}) {
    const outcome seen = second_of(branch, 2 * branch);
    EXPECT_EQ(seen.disturbed, 0) << branch;
    EXPECT_LE(seen.met, 2 * 2600) << branch;
  }
}

// Catches a long branch, of an owner that does nothing else, that is left alone.
TEST(waking, long_forks_are_found_within_two_naps) {
  const outcome seen = second_of(500'000'000, 600'000'000);
  EXPECT_GT(seen.disturbed, 0);
  EXPECT_LE(seen.first_found, 2 * patience::longest_nap_ns);
}

// Catches a worker that naps for ever beside a program that does not fork.
TEST(patience, ceases_to_nap_where_nothing_forks) {
  patience p;
  p.woken_in_vain();
  int naps = 1;
  while (p.goes_on_after_nap(false)) ++naps;
  EXPECT_EQ(naps, static_cast<int>(patience::quiet_naps));
  EXPECT_TRUE(p.goes_on_after_nap(true));
  // Idle stacks are gone in time: a worker's own, and what nobody has used from one look at them to the next.
  EXPECT_LE(patience::idle_before_trimming_ns + 3 * patience::between_tidying_ns, 2'000'000'000U);
}

}  // namespace
