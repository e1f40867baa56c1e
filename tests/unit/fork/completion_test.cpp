// SPDX-License-Identifier: Apache-2.0
// How branches that end find the strand that waits for them.
#include "stack/fiber.hpp"

#include <sennit/detail/fork/completion.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using sennit::detail::completion;
using sennit::detail::fiber;

// Catches a waiter that nobody resumes, or that two do: it declares itself after k of n branches have ended.
TEST(completion, is_told_once_whenever_the_waiter_comes) {
  for (std::intptr_t branches = 1; branches <= 4; ++branches) {
    for (std::intptr_t before = 0; before <= branches; ++before) {
      // With the count from zero, and with one that says what is to come.
      for (const bool expected : {false, true}) {
        completion done(expected ? 1 : 0);
        for (std::intptr_t i = 0; expected && i < branches; ++i) done.expect();
        const std::intptr_t awaited = expected ? -1 : branches;
        fiber waiter;
        int told = 0;
        for (std::intptr_t i = 0; i < before; ++i) {
          EXPECT_FALSE(done.done(awaited));
          EXPECT_EQ(done.finish(), nullptr);
        }
        EXPECT_EQ(done.done(awaited), before == branches);
        told += done.await(awaited, waiter) ? 1 : 0;
        EXPECT_EQ(told, before == branches ? 1 : 0);
        for (std::intptr_t i = before; i < branches; ++i) {
          EXPECT_EQ(told, 0);
          if (fiber* const resumed = done.finish()) {
            EXPECT_EQ(resumed, &waiter);
            ++told;
          }
        }
        EXPECT_EQ(told, 1);
      }
    }
  }
}

// Catches a second wait that counts the branches of the first one.
TEST(completion, begins_again) {
  constexpr std::intptr_t held = 1000;
  completion done(held);
  for (const bool suspended : {false, true, true, false}) {
    fiber waiter;
    done.expect();
    EXPECT_FALSE(done.done(-held));
    if (suspended) {
      EXPECT_FALSE(done.await(-held, waiter));
      EXPECT_EQ(done.finish(), &waiter);
    } else {
      EXPECT_EQ(done.finish(), nullptr);
      EXPECT_TRUE(done.done(-held));
    }
    done.again(-held, held);
    EXPECT_TRUE(done.done(-held));
  }
}

}  // namespace
