// SPDX-License-Identifier: Apache-2.0
// The children of a group that its own strand has pushed.
#include "worker/worker.hpp"

#include <sennit/runtime.hpp>
#include <sennit/task_group.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace {

// Catches a child that is taken for one that came back, because it is still in the deque where the group does not look for it:
// it would run twice, and its slot would stay.
TEST(pushed_children, that_are_in_the_deque_although_positions_are_forgotten_run_once) {
  sennit::runtime rt({.workers = 1});
  rt.run([] {
    for (int round = 0; round < 3; ++round) {
      std::vector<int> ran(4);
      sennit::task_group group;
      for (std::size_t i = 0; i < ran.size(); ++i) {
        group.spawn([&ran, i] {
          ++ran[i];
          // As a piece of a loop does that the strand takes back.
          if (i == 2) sennit::detail::worker::current()->frames().forget_positions();
        });
      }
      group.wait();
      EXPECT_EQ(ran, std::vector<int>(4, 1));
      EXPECT_TRUE(sennit::detail::worker::current()->frames().empty());
    }
  });
}

}  // namespace
