// SPDX-License-Identifier: Apache-2.0
// Whom a thief tries next.
#include "policy/victim.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using sennit::policy::random_victim;

// Catches a thief that robs itself, goes out of bounds, or never comes to somebody.
TEST(random_victim, is_every_other_worker_about_equally_often) {
  for (const unsigned count : {2U, 3U, 8U, 100U}) {
    for (const unsigned self : {0U, count / 2, count - 1}) {
      random_victim victims(self + 1);
      std::vector<unsigned> drawn(count);
      for (unsigned i = 0; i < 1000 * count; ++i) {
        const unsigned next = victims.next(count, self);
        ASSERT_LT(next, count);
        ++drawn[next];
      }
      for (unsigned i = 0; i < count; ++i) {
        if (i == self) {
          EXPECT_EQ(drawn[i], 0U);
        } else {
          EXPECT_GT(drawn[i], 700U) << i << " of " << count;
        }
      }
    }
  }
}

}  // namespace
