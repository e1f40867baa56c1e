// SPDX-License-Identifier: Apache-2.0
// What a worker that looks for work can be reached by: its mailbox, and the set of those that are idle.
#include "deque/mailbox.hpp"
#include "worker/searching_set.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace {

using sennit::detail::fiber;
using sennit::detail::frame;
using sennit::detail::mailbox;
using sennit::detail::searching_set;

fiber* never_runs(frame&) noexcept { return nullptr; }

// Catches a frame that is posted where nobody looks for it, one that two take or none, and a second one that replaces the
// first.
TEST(mailbox, gives_each_frame_to_one) {
  frame first(&never_runs);
  frame second(&never_runs);
  mailbox box;
  EXPECT_FALSE(box.awaits());
  EXPECT_FALSE(box.post(first));
  EXPECT_EQ(box.close(), nullptr);

  box.open();
  EXPECT_TRUE(box.awaits());
  EXPECT_FALSE(box.has_frame());
  EXPECT_TRUE(box.post(first));
  EXPECT_FALSE(box.awaits());
  EXPECT_TRUE(box.has_frame());
  EXPECT_FALSE(box.post(second));
  EXPECT_FALSE(box.withdraw(second));
  EXPECT_EQ(box.close(), &first);
  EXPECT_FALSE(box.withdraw(first));
  EXPECT_FALSE(box.has_frame());
  EXPECT_FALSE(box.post(second));

  box.open();
  EXPECT_TRUE(box.post(first));
  EXPECT_TRUE(box.withdraw(first));
  EXPECT_FALSE(box.withdraw(first));
  EXPECT_FALSE(box.has_frame());
  EXPECT_TRUE(box.awaits());
  EXPECT_TRUE(box.post(second));
  EXPECT_EQ(box.close(), &second);
  EXPECT_EQ(box.close(), nullptr);
}

std::vector<unsigned> visited(const searching_set<200>& set, unsigned start, unsigned count) {
  std::vector<unsigned> found;
  set.each_after(start, count, [&](unsigned place) {
    found.push_back(place);
    return true;
  });
  return found;
}

// Catches a place that is left out or visited twice at the border of a word, and an order that has all who search begin with
// the same worker.
TEST(searching_set, is_visited_from_the_place_behind_the_start) {
  const std::set<unsigned> members{0, 1, 62, 63, 64, 65, 127, 128, 191, 199};
  searching_set<200> set;
  for (unsigned place = 0; place < 200; ++place) set.add(place);
  for (unsigned place = 0; place < 200; ++place) {
    if (!members.contains(place)) set.remove(place);
  }
  for (const unsigned count : {0U, 1U, 63U, 64U, 65U, 128U, 199U, 200U}) {
    for (unsigned start = 0; start < count; ++start) {
      std::vector<unsigned> expected;
      for (unsigned i = 1; i <= count; ++i) {
        const unsigned place = (start + i) % count;
        if (place != start && members.contains(place)) expected.push_back(place);
      }
      EXPECT_EQ(visited(set, start, count), expected) << start << " of " << count;
    }
  }
}

// Catches a visit that goes on in the part before the start although it was to end.
TEST(searching_set, is_visited_until_that_is_enough) {
  searching_set<200> set;
  for (const unsigned place : {3U, 70U, 150U}) set.add(place);
  for (std::size_t most = 1; most <= 3; ++most) {
    std::size_t seen = 0;
    set.each_after(100, 200, [&](unsigned) { return ++seen < most; });
    EXPECT_EQ(seen, most);
  }
}

}  // namespace
