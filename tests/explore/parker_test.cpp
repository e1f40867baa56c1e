// SPDX-License-Identifier: Apache-2.0
// The real parker: a thread that sleeps until a token comes. Each case explores all orders.
#include "expect.hpp"
#include "system/parker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>

namespace {

using explore::expect_none;

// A token is taken once, and by whoever waits for it; a signal is none.
TEST(Parker, Tokens) {
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
TEST(Parker, ATokenAsTimeRunsOut) {
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
TEST(Parker, ASecondToken) {
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

}  // namespace
