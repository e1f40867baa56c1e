// SPDX-License-Identifier: Apache-2.0
// What is remembered of loops, by their keys.
#include "loop/loop_costs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>

namespace {

using sennit::detail::loop_cost;
using sennit::detail::loop_costs;

// Catches two loops with one entry, of which one is long and the other then taken for a long one.
TEST(loop_costs, keeps_loops_apart) {
  const auto costs = std::make_unique<loop_costs>();
  constexpr unsigned loops = loop_costs::sets / 2;
  std::set<const loop_cost*> all;
  for (std::uintptr_t i = 0; i < loops; ++i)
    all.insert(&costs->of(loop_costs::key_of(0x5555'0000'0000 + 16 * i, 0)));
  EXPECT_EQ(all.size(), loops);
  for (std::uintptr_t i = 0; i < loops; ++i)
    EXPECT_EQ(all.erase(&costs->of(loop_costs::key_of(0x5555'0000'0000 + 16 * i, 0))), 1U);
}

// Catches a site and a code that make the same key as another site with another code.
TEST(loop_costs, knows_sites_from_codes) {
  constexpr std::uintptr_t text = 0x7fff'1234'0000;
  std::set<std::uint64_t> keys;
  for (std::uintptr_t site = 0; site < 64; ++site) {
    for (std::uintptr_t code = 0; code < 64; ++code)
      keys.insert(loop_costs::key_of(text + 8 * site, text + 8 * code));
  }
  EXPECT_EQ(keys.size(), 64U * 64U);
  EXPECT_NE(loop_costs::key_of(0, 0), 0U);
}

// Catches a loop that is taken for the one whose place it has got, and a table that is full for good.
TEST(loop_costs, forgets_where_a_set_is_full) {
  const auto costs = std::make_unique<loop_costs>();
  for (std::uintptr_t i = 0; i < 64U * loop_costs::sets; ++i) {
    const std::uint64_t key = loop_costs::key_of(0x1000 + 4 * i, 0);
    loop_cost& cost = costs->of(key);
    ASSERT_FALSE(cost.known());
    ASSERT_FALSE(cost.seen());
    cost.took(1'000'000, 1);
    cost.saw(true);
    ASSERT_EQ(&costs->of(key), &cost);
  }
}

}  // namespace
