// SPDX-License-Identifier: Apache-2.0
// The iterations that a strand has taken on: what is claimed, what is cut off, and what is left.
#include <sennit/detail/loop/frame.hpp>

#include <gtest/gtest.h>

#include <new>
#include <vector>

namespace {

using namespace sennit::detail;

struct loop {
  static inline bool memory = true;
  static loop_piece* make(loop_state& whole, position first, position last) noexcept {
    return memory ? ::new (std::nothrow) loop_piece(whole, first, last) : nullptr;
  }
  static void work(loop_state&, loop_piece&) noexcept {}

  loop(position first, position last) : frame(whole, first, last, split_off) {}

  static constexpr loop_state::entries calls{&make, &work};
  loop_state whole{calls, false};
  loop_piece* split_off = nullptr;
  loop_frame frame;
};

// Catches a cut that is not at the beginning of a line where it could be, lies outside the chunk, or moves a small one.
TEST(lines, begin_at_whole_groups_of_elements) {
  for (position size = 0; size < 40; ++size) {
    for (position where = 0; where < 100; ++where) {
      const position at = in_lines(where, size);
      EXPECT_LE(at, where);
      if (size < 16) {
        EXPECT_EQ(at, where);
      } else {
        EXPECT_EQ(at % 8, 0U);
        EXPECT_LT(where - at, 8U);
      }
    }
  }
}

// Catches a middle that leaves one side without iterations where both could have some, or that gives a thief less than half
// by more than a line.
TEST(rest, is_halved_inside) {
  for (position start = 0; start < 70; ++start) {
    EXPECT_TRUE((loop_frame::rest{start, start}.none()));
    for (position size = 1; size < 70; ++size) {
      const loop_frame::rest left{start, start + size};
      EXPECT_FALSE(left.none());
      const position middle = left.middle();
      EXPECT_GE(middle, left.start);
      EXPECT_LT(middle, left.end);
      if (size > 1) {
        EXPECT_GT(middle, left.start);
      }
      EXPECT_LE(middle - left.start, size / 2);
      EXPECT_LT(size / 2 - (middle - left.start), 8U);
    }
  }
}

// Catches an end that the owner does not see after a cut, or that it sees where there was none.
TEST(loop_frame, ends_where_it_was_cut) {
  loop l(10, 100);
  EXPECT_EQ(l.frame.left(10), 90U);
  EXPECT_EQ(l.frame.left(100), 0U);
  EXPECT_EQ(l.frame.left(200), 0U);
  EXPECT_FALSE(l.frame.over(99));
  EXPECT_TRUE(l.frame.over(100));
  loop_piece* const piece = l.frame.cut(l.frame.look(), 40);
  ASSERT_NE(piece, nullptr);
  EXPECT_EQ(piece->first(), 40U);
  EXPECT_EQ(piece->last(), 100U);
  EXPECT_EQ(&piece->whole(), &l.whole);
  EXPECT_EQ(l.frame.end(), 40U);
  EXPECT_TRUE(l.frame.over(40));
  EXPECT_FALSE(l.frame.over(39));
  EXPECT_FALSE(l.whole.done().done(-1));  // the piece is to end, too
}

// Catches an owner that claims what has been cut off in the meantime, and one that loses what it has claimed.
TEST(loop_frame, is_not_cut_below_what_its_owner_has_claimed) {
  for (position claimed = 0; claimed <= 20; ++claimed) {
    loop l(0, 20);
    // As if the owner had claimed after the thief looked.
    const loop_frame::rest seen = l.frame.look();
    loop_frame owners(l.whole, claimed, 20, l.split_off);
    loop_piece* const piece = owners.cut_fenced({seen.start, seen.end}, seen.middle());
    EXPECT_EQ(piece != nullptr, claimed <= seen.middle());
    EXPECT_EQ(owners.end(), piece != nullptr ? seen.middle() : 20U);
    if (piece != nullptr) {
      EXPECT_EQ(piece->first(), seen.middle());
    }
  }
}

// Catches iterations that are lost where there is no memory for a piece.
TEST(loop_frame, stays_whole_without_memory) {
  loop l(0, 20);
  loop::memory = false;
  EXPECT_EQ(l.frame.cut(l.frame.look(), 10), nullptr);
  EXPECT_EQ(l.frame.end(), 20U);
  EXPECT_EQ(l.frame.cut_fenced(l.frame.look(), 10), nullptr);
  EXPECT_EQ(l.frame.end(), 20U);
  loop::memory = true;
  EXPECT_FALSE(l.frame.over(19));
  EXPECT_TRUE(l.whole.done().done(-1));
}

// Catches a rest that is worth a steal by what has been claimed, and not by what is left.
TEST(loop_frame, is_worth_cutting_by_what_is_left) {
  loop l(0, 100);
  EXPECT_TRUE(l.frame.worth_cutting({99, 100}));
  l.frame.worth(10);
  EXPECT_TRUE(l.frame.worth_cutting({90, 100}));
  EXPECT_FALSE(l.frame.worth_cutting({91, 100}));
}

// Catches an exception of a later iteration that hides the one that the loop in order would have come to, and iterations that
// run although they come after it.
TEST(loop_state, keeps_the_lowest_failure) {
  loop l(0, 100);
  EXPECT_FALSE(l.whole.pointless(99));
  l.whole.failed(50, std::make_exception_ptr(50));
  EXPECT_TRUE(l.whole.pointless(50));
  EXPECT_FALSE(l.whole.pointless(49));
  l.whole.failed(70, std::make_exception_ptr(70));
  l.whole.failed(20, std::make_exception_ptr(20));
  l.whole.failed(30, std::make_exception_ptr(30));
  EXPECT_TRUE(l.whole.pointless(20));
  EXPECT_FALSE(l.whole.pointless(19));
  try {
    l.whole.rethrow();
    ADD_FAILURE() << "nothing is thrown";
  } catch (int lowest) {
    EXPECT_EQ(lowest, 20);
  }
}

}  // namespace
