// SPDX-License-Identifier: Apache-2.0
// The real parker: a thread that sleeps until a token comes. Each case explores all orders.
#include "expect.hpp"
#include "system/parker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

namespace {

using explore::expect_none_of;

struct parked {
  sennit::detail::parker place;
  int told = 0;
  bool seen = false;
};
void tell(parked& p) {
  p.told = 1;
  p.place.unpark();
}

// A token is taken once, and by whoever waits for it; a signal is none. Catches: the thread sleeps on, wakes without a token,
// or does not see what the waker did.
TEST(Parker, Tokens) {
  const auto parks = [](parked& p) {
    explore::check(p.place.park(), "a token has come");
    explore::check(p.told == 1, "what the waker did is seen");
  };
  expect_none_of<parked>({parks, tell});
  expect_none_of<parked>({parks, tell}, [](parked&) {}, {.interrupted_sleeps = 1});
}

// The time that a thread sleeps runs out as a token comes: whoever takes it sees what the waker did, and a token that came
// too late is there at the next look. Catches: the token is lost, or taken twice.
TEST(Parker, ATokenAsTimeRunsOut) {
  const auto parks = [](parked& p) {
    p.seen = p.place.park(std::chrono::nanoseconds(1));
    if (p.seen) explore::check(p.told == 1, "what the waker did is seen");
  };
  expect_none_of<parked>({parks, tell}, [](parked& p) {
    const bool left = p.place.park(std::chrono::nanoseconds(0));
    explore::check(p.seen != left, "the token is taken once");
  });
}

// A second token comes as the first one is taken, and calls nobody: the thread sees what came with it, or wakes once more.
// Catches: the first token is taken in two steps, between which the second one is lost, and the thread sleeps on.
TEST(Parker, ASecondToken) {
  struct called_twice {
    sennit::detail::parker place;
    std::atomic<bool> over{false};
  };
  const auto parks = [](called_twice& c) {
    while (!c.over.load(std::memory_order_relaxed)) c.place.park();
  };
  const auto first = [](called_twice& c) { c.place.unpark(); };
  const auto second = [](called_twice& c) {
    c.over.store(true, std::memory_order_relaxed);
    c.place.unpark();
  };
  expect_none_of<called_twice>({parks, first, second});
}

}  // namespace
