// SPDX-License-Identifier: Apache-2.0
// The list of frames that have left their deques.
#include "deque/frame_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace {

using sennit::detail::fiber;
using sennit::detail::frame;
using sennit::detail::frame_list;
using sennit::detail::frame_with_state;

fiber* never_runs(frame&) noexcept { return nullptr; }

struct listed : frame_with_state {
  listed() noexcept : frame_with_state(&never_runs) { mark_stolen(nullptr); }
};

std::vector<frame*> frames_in(const frame_list& list) {
  std::vector<frame*> found;
  for (frame* f = list.oldest(); f != nullptr; f = frame_list::after(*f)) found.push_back(f);
  return found;
}

// Catches a link that is not mended on one side, a first or last frame that is forgotten, and a hint that says of an empty
// list that there is something in it: frames are unlinked in each order, and listed again.
TEST(frame_list, holds_what_is_left_in_order) {
  std::array<int, 4> order{0, 1, 2, 3};
  do {
    std::array<listed, 4> all;
    frame_list list;
    EXPECT_FALSE(list.any());
    std::vector<frame*> expected;
    for (listed& f : all) {
      list.append(f);
      expected.push_back(&f);
    }
    for (const int i : order) {
      EXPECT_EQ(frames_in(list), expected);
      EXPECT_TRUE(list.any());
      list.unlink(all[static_cast<std::size_t>(i)]);
      std::erase(expected, &all[static_cast<std::size_t>(i)]);
      EXPECT_EQ(frames_in(list), expected);
      // At once behind the others, and away again.
      list.append(all[static_cast<std::size_t>(i)]);
      expected.push_back(&all[static_cast<std::size_t>(i)]);
      EXPECT_EQ(frames_in(list), expected);
      list.unlink(all[static_cast<std::size_t>(i)]);
      expected.pop_back();
    }
    EXPECT_FALSE(list.any());
    EXPECT_EQ(list.oldest(), nullptr);
  } while (std::ranges::next_permutation(order).found);
}

}  // namespace
