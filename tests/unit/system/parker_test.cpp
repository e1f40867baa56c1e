// SPDX-License-Identifier: Apache-2.0
// The token of a thread that sleeps.
#include "system/parker.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace {

using sennit::detail::parker;
using namespace std::chrono_literals;

// Catches tokens that add up, that are not taken, or that are lost after a wait in vain.
TEST(parker, takes_a_token_once) {
  parker place;
  EXPECT_FALSE(place.park(0ns));
  place.unpark();
  place.unpark();
  EXPECT_TRUE(place.park());
  EXPECT_FALSE(place.park(0ns));
  EXPECT_FALSE(place.park(1us));
  place.unpark();
  EXPECT_TRUE(place.park(0ns));
  EXPECT_FALSE(place.park(0ns));
}

// Catches a limit that has a whole second and is waited for without it, or the other way around: nobody else gives a token.
TEST(parker, gives_up_after_the_limit) {
  parker place;
  for (const auto limit : {0ns, 1ns, 999ns, 1'000'000ns}) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(place.park(limit));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, limit);
  }
}

}  // namespace
