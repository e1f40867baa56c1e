// SPDX-License-Identifier: Apache-2.0
// Loops and calls that functions keep latent, and give away at beats: the outermost first.
#include "tests/rollforward/beats.hpp"

#include <sennit/join.hpp>
#include <sennit/latent_range.hpp>
#include <sennit/promotion_point.hpp>
#include <sennit/task_group.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#define NOINLINE [[gnu::noinline]]

namespace {

using test::beat;
using test::take;
using test::taken;

class latent_ranges : public test::beating {};

// Who gave what away, in order.
struct gift {
  int level;
  std::size_t first;
  std::size_t last;
  bool operator==(const gift&) const = default;
};

NOINLINE void row(std::vector<gift>& gifts, std::vector<int>& done, std::size_t y, sennit::latent& around,
                  bool with_beats) {
  for (std::size_t x = 0, end = 8; x < end; ++x) {
    if (with_beats) beat();
    ++done[y * 8 + x];
    SENNIT_PROMOTION_POINT(if (!around.promote() && end - x > 1) {
      gifts.push_back({1, x + 1, end});
      for (std::size_t i = x + 1; i < end; ++i) ++done[y * 8 + i];
      end = x + 1;
    });
  }
}

NOINLINE void plane(std::vector<gift>& gifts, std::vector<int>& done, std::size_t first, std::size_t last,
                    bool with_beats) {
  for (std::size_t y = first; y < last; ++y) {
    sennit::latent_range rest(nullptr, y + 1, last, [&](std::size_t from, std::size_t to) {
      gifts.push_back({0, from, to});
      plane(gifts, done, from, to, false);
    });
    row(gifts, done, y, rest, with_beats);
    last = rest.last();
  }
}

// Catches an inner loop that is promoted while the one around it has iterations left, iterations that are done twice or not at
// all, and the outer loop being halved downward, which would keep its last iteration for ever.
TEST_F(latent_ranges, the_outermost_loop_is_promoted_first) {
  std::vector<gift> gifts;
  std::vector<int> done(6 * 8);
  plane(gifts, done, 0, 6, true);
  EXPECT_EQ(done, std::vector<int>(6 * 8, 1));
  const std::vector<gift> expected = {{0, 3, 6}, {0, 2, 3}, {0, 1, 2}};
  ASSERT_GT(gifts.size(), 3U);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), gifts.begin()));
  for (std::size_t i = 3; i < gifts.size(); ++i) EXPECT_EQ(gifts[i].level, 1);
}

// Catches a range that says it was given away although nobody took it.
TEST_F(latent_ranges, a_gift_that_throws_is_not_given) {
  sennit::latent_range inner_less(nullptr, 3, 3, [](std::size_t, std::size_t) { FAIL(); });
  EXPECT_TRUE(inner_less.empty());
  EXPECT_FALSE(inner_less.promote());
  bool fails = true;
  std::size_t given = 0;
  sennit::latent_range outer(nullptr, 0, 5, [&](std::size_t from, std::size_t to) {
    if (fails) throw std::runtime_error("as asked");
    given += to - from;
  });
  sennit::latent_range inner(&outer, 0, 2, [](std::size_t, std::size_t) {});
  EXPECT_THROW(inner.promote(), std::runtime_error);
  EXPECT_EQ(outer.last(), 5U);
  fails = false;
  EXPECT_TRUE(inner.promote());
  EXPECT_EQ(outer.last(), 2U);
  EXPECT_EQ(given, 3U);
  while (!outer.empty()) EXPECT_TRUE(inner.promote());
  EXPECT_EQ(inner.last(), 2U);
  EXPECT_TRUE(inner.promote());
  EXPECT_EQ(inner.last(), 1U);
}

NOINLINE long leaf(long n, sennit::latent* around) {
  beat();
  SENNIT_PROMOTION_POINT(if (around != nullptr) around->promote());
  return n;
}

// The second call is latent while the first runs.
NOINLINE long tree(long n, sennit::latent* around) {
  if (n < 2) return leaf(n, around);
  sennit::task_group others;
  long b = 0;
  sennit::latent_range second(around, 0, 1, [&](std::size_t, std::size_t) {
    take();
    others.spawn([&b, n] { b = tree(n - 2, nullptr); });
  });
  const long a = tree(n - 1, &second);
  if (!second.empty()) b = tree(n - 2, around);
  others.wait();
  return a + b;
}

// Catches a call that is made twice or not at all, and a task that promotes what its parent has open.
TEST_F(latent_ranges, recursion_gives_its_oldest_call_away) {
  const auto [other, sum] = sennit::join([] { return 0L; },
                                         [] {
                                           test::let_beats_through();
                                           return tree(10, nullptr);
                                         });
  EXPECT_EQ(other + sum, 55);
  EXPECT_GT(taken, 0);
}

}  // namespace
