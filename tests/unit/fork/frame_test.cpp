// SPDX-License-Identifier: Apache-2.0
// What a fork that nobody steals takes of the stack.
#include <sennit/detail/fork/fork_frame.hpp>
#include <sennit/detail/fork/frame.hpp>

#include <gtest/gtest.h>

namespace {

using sennit::detail::fork_frame;
using sennit::detail::frame;

// Catches a frame that has something in it which only stolen branches need: deep recursion pays for it at each level.
TEST(frame, of_a_fork_is_small) {
  EXPECT_LE(sizeof(frame), 48U);
  EXPECT_LE(sizeof(fork_frame<int (&)()>), 72U);
  auto add = [a = 1L, b = 2L] { return a + b; };
  EXPECT_LE(sizeof(fork_frame<decltype(add)>), 80U);
}

}  // namespace
