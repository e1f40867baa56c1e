// SPDX-License-Identifier: Apache-2.0
// The order of a front, with lines of numbers in place of trees and calls.
#include "splice/front.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/splice.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using sennit::effects;
using sennit::range;
using sennit::detail::front;
using sennit::detail::front_line;
using sennit::detail::front_node;
using sennit::detail::hulls;
using sennit::detail::remembered_steps;

const double array[64] = {};

hulls reads_and_writes(range read, range written) {
  return hulls(effects(sennit::reads(sennit::memory_range(array, read)),
                       sennit::writes(sennit::memory_range(array + 32, written))));
}

hulls writes(range r) { return hulls(effects(sennit::writes(sennit::memory_range(array, r)))); }

struct step_node : front_node {
  std::uint64_t place() const noexcept { return key; }
};

// Each line has the steps 0 ... steps - 1; step k writes the elements of the array from k - reach to k + reach.
class toy_front : public front<toy_front> {
 public:
  using done_step = std::pair<std::size_t, std::uint64_t>;

  toy_front(std::size_t lines, std::int64_t steps, std::int64_t reach) : lines_(lines) {
    for (line& l : lines_) {
      for (std::int64_t k = steps; k-- > 0;) {
        step_node& n = l.todo.emplace_back();
        n.key = static_cast<std::uint64_t>(k) << 59;
        n.depth = 4;
        n.own = writes({16 + k - reach, 16 + k + reach + 1});
        l.add_up();
      }
    }
  }
  using front::begins_in_one_direction;
  using front::walk_lines;
  std::vector<done_step> done;
  std::size_t refused = SIZE_MAX;  // this line runs nothing

 private:
  friend front;
  struct line : front_line<step_node> {
    const hulls& step() const noexcept { return todo.back().own; }
    const step_node* ends_with() const noexcept { return todo.size() > 1 ? &todo.front() : nullptr; }
  };
  std::vector<line>& lines() noexcept { return lines_; }
  sennit::splice_report& report() noexcept { return report_; }
  std::size_t begin_round() const noexcept { return lines_.size(); }
  bool goes_on(std::size_t) const noexcept { return true; }
  bool come_to_step(std::size_t i) const noexcept { return !lines_[i].is_over(); }
  bool may_run(std::size_t i) const noexcept { return i != refused; }
  void run_step(std::size_t i) {
    line& l = lines_[i];
    l.ran.add(l.next().number(), l.next().place(), l.step());
    done.emplace_back(i, l.next().number());
    l.todo.pop_back();
  }

  std::vector<line> lines_;
  sennit::splice_report report_;
};

// Catches: a line that stays behind though nothing is in its way, so that data leave the cache between two lines.
TEST(Front, LinesFollowEachOtherAtTheirDistance) {
  toy_front f(2, 4, 0);
  f.walk_lines();
  const std::vector<toy_front::done_step> expected = {{0, 0}, {1, 0}, {0, 1}, {1, 1},
                                                      {0, 2}, {1, 2}, {0, 3}, {1, 3}};
  EXPECT_EQ(f.done, expected);
}

// Catches: a step that runs before a step of an earlier line that touches the same data.
TEST(Front, AStepWaitsForWhatIsAhead) {
  for (const std::size_t lines : {2U, 3U, 7U}) {
    toy_front f(lines, 12, 1);
    f.walk_lines();
    ASSERT_EQ(f.done.size(), 12 * lines);
    for (std::size_t a = 0; a < f.done.size(); ++a) {
      for (std::size_t b = a + 1; b < f.done.size(); ++b) {
        if (f.done[a].first <= f.done[b].first) continue;
        EXPECT_LT(f.done[a].second + 2, f.done[b].second) << "line " << f.done[a].first << " is too early";
      }
    }
  }
}

// Catches: a line that waits for good ends the walk of those that could go on, or does not end it.
TEST(Front, TheWalkEndsWhenNoLineCanGoOn) {
  toy_front f(3, 5, 1);
  f.refused = 1;
  f.walk_lines();
  for (const toy_front::done_step& d : f.done) EXPECT_EQ(d.first, 0U);
  EXPECT_EQ(f.done.size(), 5U);
}

// Catches: lines that run against each other are walked as a front, where each waits for all of the one before.
TEST(Front, LinesThatBeginWhereOthersEndAreFound) {
  EXPECT_TRUE(toy_front(2, 12, 1).begins_in_one_direction());
  EXPECT_FALSE(toy_front(2, 2, 1).begins_in_one_direction());
}

// Catches: a cover that has not all data of the step, or that is a step of another place.
TEST(RememberedSteps, CoverOnlyWhatTheyHave) {
  remembered_steps ran;
  EXPECT_FALSE(ran.cover(0, 0, writes({1, 2})));
  ran.add(3, 30, writes({4, 8}));
  EXPECT_TRUE(ran.cover(3, 30, writes({4, 8})));
  EXPECT_FALSE(ran.cover(3, 31, writes({4, 8})));
  EXPECT_FALSE(ran.cover(11, 110, writes({4, 8})));
  EXPECT_FALSE(ran.cover(3, 30, writes({3, 8})));
  // With its neighbor, as nothing is between the two.
  ran.add(4, 40, writes({8, 12}));
  EXPECT_TRUE(ran.cover(4, 40, writes({6, 12})));
  EXPECT_FALSE(ran.cover(3, 30, writes({6, 12})));
  // Not with a step that is apart.
  ran.add(5, 50, writes({14, 16}));
  EXPECT_FALSE(ran.cover(5, 50, writes({8, 16})));
}

// Catches: a sum that leaves out what has other kinds of hulls.
TEST(Hulls, ASumIsWhatAdditionMakes) {
  const hulls a = reads_and_writes({1, 4}, {2, 3});
  const hulls b = reads_and_writes({2, 7}, {0, 1});
  const hulls c = writes({9, 12});
  for (const hulls* const first : {&a, &b, &c}) {
    for (const hulls* const second : {&a, &b, &c}) {
      hulls sum;
      sum.become_sum(*first, *second);
      hulls added = *first;
      added += *second;
      EXPECT_TRUE(sum.contains(added) && added.contains(sum));
      EXPECT_EQ(sum.count(), added.count());
    }
  }
}

}  // namespace
