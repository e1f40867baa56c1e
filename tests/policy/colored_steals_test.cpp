// SPDX-License-Identifier: Apache-2.0
// How long a worker without work leaves work of other colors to their own workers.
#include "policy/colored_steals.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using sennit::policy::ns_for_own_color;

// Catches: a wait that is not in proportion to what items take.
TEST(colored_steals, waits_for_as_long_as_items_take) {
  EXPECT_EQ(ns_for_own_color(2, 1, 10, 1000), 200U);  // items of 100 ns each
  EXPECT_EQ(ns_for_own_color(0.5, 1, 10, 1000), 50U);
  EXPECT_EQ(ns_for_own_color(0, 1, 10, 1000), 0U);
}

// Catches: a worker that waits for a color of which there is nothing, as in a graph of one color or of none.
TEST(colored_steals, does_not_wait_without_own_items) {
  EXPECT_EQ(ns_for_own_color(1e6, 0, 1000, 1'000'000'000), 0U);
}

// Catches: an average of no items, and a time that wraps around.
TEST(colored_steals, takes_any_numbers) {
  EXPECT_EQ(ns_for_own_color(1, 1, 0, 100), 100U);
  EXPECT_EQ(ns_for_own_color(1e6, 1, 1, std::uint64_t{1} << 63), 1'000'000'000'000'000'000U);
}

}  // namespace
