// SPDX-License-Identifier: Apache-2.0
// How long a worker searches and naps.
#include "policy/patience.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using sennit::policy::patience;

// Catches a worker that never sleeps, or sleeps at once.
TEST(patience, spins_yields_and_sleeps_in_this_order) {
  for (const unsigned others : {1U, 7U, 1023U}) {
    const unsigned spins = patience::spin_rounds(others);
    EXPECT_EQ(patience::search(others).after(0), patience::step::spin);
    EXPECT_EQ(patience::search(others).after(spins - 1), patience::step::spin);
    EXPECT_EQ(patience::search(others).after(spins), patience::step::yield);
    EXPECT_EQ(patience::search(others).after(spins + patience::yield_rounds(others)), patience::step::sleep);
    EXPECT_EQ(patience::search(others).after(~0U), patience::step::sleep);
  }
}

// Catches a worker that sleeps without having looked behind hints in the end.
TEST(patience, insists_at_first_and_at_last) {
  for (unsigned others = 1; others < 1100; ++others) {
    EXPECT_TRUE(patience::search(others).insists(0));
    bool late = false;
    for (unsigned r = 1; patience::search(others).after(r) != patience::step::sleep; ++r)
      late = late || patience::search(others).insists(r);
    EXPECT_TRUE(late) << others;
  }
}

// Catches a thousand workers that search a thousand times as long as two.
TEST(patience, counts_looks) {
  EXPECT_EQ(patience::spin_rounds(1), patience::spin_looks);
  EXPECT_LE(patience::spin_rounds(1023) * 1023, 4 * patience::spin_looks);
}

// Catches naps that grow without bound, or are kept after work was found.
TEST(patience, naps_longer_after_each_vain_wake) {
  patience p;
  EXPECT_EQ(p.nap_ns(), 0U);
  std::uint64_t before = 0;
  for (int i = 0; i < 100; ++i) {
    p.woken_in_vain();
    EXPECT_GE(p.nap_ns(), before);
    EXPECT_LE(p.nap_ns(), patience::longest_nap_ns);
    before = p.nap_ns();
  }
  EXPECT_EQ(before, patience::longest_nap_ns);
  p.found_work();
  EXPECT_EQ(p.nap_ns(), 0U);
}

}  // namespace
