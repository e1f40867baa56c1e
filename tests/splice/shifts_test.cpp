// SPDX-License-Identifier: Apache-2.0
// Trees over ranges whose blocks the library shifts: how far, and that results stay those of the loop.
#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using sennit::divided;
using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::writes;

// Sweeps over `arrays` arrays by turns, each of which reads from so many numbers before and behind an index. A
// sweep may also work in place.
struct sweeps {
  struct reach {
    std::int64_t before;
    std::int64_t behind;
    bool in_place;
  };

  std::vector<std::vector<double>> arrays;
  std::vector<reach> reaches;  // of the sweeps by turns
  std::int64_t margin = 0;
  std::int64_t block = 0;
  std::atomic<std::int64_t> longest{0};

  range inner() const { return {margin, static_cast<std::int64_t>(arrays[0].size()) - margin}; }
  auto tree(int t) {
    const reach r = reaches[static_cast<std::size_t>(t) % reaches.size()];
    const double* const in = arrays[static_cast<std::size_t>(t) % arrays.size()].data();
    double* const out = arrays[static_cast<std::size_t>(r.in_place ? t : t + 1) % arrays.size()].data();
    return divided{inner(), block,
                   [=](range i) {
                     return effects(reads(memory_range(in, range{i.first - r.before, i.last + r.behind})),
                                    writes(memory_range(out, i)));
                   },
                   [=, this](range some) {
                     std::int64_t seen = longest.load();
                     while (seen < some.size() && !longest.compare_exchange_weak(seen, some.size())) {
                     }
                     for (auto i = some.first; i < some.last; ++i)
                       out[i] = (in[i - r.before] + 2 * in[i] + 3 * in[i + r.behind]) / 6.5 + t;
                   }};
  }
};

std::vector<std::int64_t> shifts_of(sweeps& s, int n, std::size_t together) {
  std::vector<decltype(s.tree(0))> trees;
  for (int t = 0; t < n; ++t) trees.push_back(s.tree(t));
  return sennit::detail::shifts_of(trees, together).by;
}

void fill(sweeps& s, std::size_t arrays, std::size_t n) {
  s.arrays.assign(arrays, std::vector<double>(n));
  double x = 0;
  for (auto& a : s.arrays)
    for (double& v : a) v = (x += 0.37) > 50 ? x -= 50 : x;
}

// Catches: a shift that is too small, so that steps wait; one that is larger than the stencil needs; one that
// grows over more trees than are interleaved.
TEST(Shifts, AreAsFarAsTheStencilReaches) {
  sweeps s;
  fill(s, 2, 4000);
  s.margin = 8;
  s.block = 50;
  s.reaches = {{1, 1, false}};
  EXPECT_THAT(shifts_of(s, 6, 6), testing::ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(shifts_of(s, 6, 4), testing::ElementsAre(0, 1, 2, 3, 0, 1));
  s.reaches = {{0, 5, false}};
  EXPECT_THAT(shifts_of(s, 4, 4), testing::ElementsAre(0, 5, 10, 15));
  // What an earlier sweep still reads may not be overwritten.
  s.reaches = {{5, 0, false}};
  EXPECT_THAT(shifts_of(s, 4, 4), testing::ElementsAre(0, 5, 10, 15));
  s.reaches = {{1, 1, false}, {3, 3, false}};
  EXPECT_THAT(shifts_of(s, 5, 5), testing::ElementsAre(0, 3, 6, 9, 12));
  s.reaches = {{0, 0, false}};
  EXPECT_THAT(shifts_of(s, 4, 4), testing::AnyOf(testing::IsEmpty(), testing::Each(0)));
}

// Catches: a shift where trees have other ranges, need all of each other, or do not say what they use.
TEST(Shifts, AreLeftOutWhereTheyDoNotHelp) {
  std::vector<double> a(1000);
  const auto none = [&](auto&& tree) {
    std::vector<decltype(tree(0))> trees;
    for (int t = 0; t < 3; ++t) trees.push_back(tree(t));
    EXPECT_FALSE(sennit::detail::shifts_of(trees, 3).any());
    EXPECT_EQ(sennit::detail::shifts_of(trees, 3).by.size(), 0U);
  };
  const auto nothing = [](range) {};
  none([&](int t) {
    return divided{range{0, 1000 - t}, 10, [&](range r) { return effects(writes(memory_range(a, r))); },
                   nothing};
  });
  none([&](int) {
    return divided{range{0, 1000}, 10,
                   [&](range r) { return effects(reads(memory_range(a)), writes(memory_range(a, r))); },
                   nothing};
  });
  none(
      [&](int) { return divided{range{0, 1000}, 10, [](range) { return effects::everything(); }, nothing}; });
  none([&](int t) {  // back and forth, and each index needs the one before it
    return divided{range{0, 1000}, 10,
                   [&a, t](range r) {
                     const range own = t % 2 == 0 ? r : range{1000 - r.last, 1000 - r.first};
                     return effects(reads(memory_range(a, own.grown(1).within({0, 1000}))),
                                    writes(memory_range(a, own)));
                   },
                   nothing};
  });
}

// Catches: a step that waits although its input is there; a step larger than the block that was asked for.
TEST(Shifts, LeaveNoStepWaitingOnOneWorker) {
  sweeps s;
  fill(s, 2, 5000);
  s.margin = 3;
  s.block = 64;
  s.reaches = {{3, 2, false}};
  sennit::runtime({.workers = 1}).run([&] {
    const sennit::splice_report report = sennit::splice(12, [&](int t) { return s.tree(t); });
    EXPECT_EQ(report.delayed, 0U);
    EXPECT_GT(report.steps, 12U * 70);
  });
  EXPECT_LE(s.longest.load(), 64);
}

// Catches: a saved order that is followed with other shifts than it was found for, or not followed at all.
TEST(Shifts, ArePartOfASavedOrder) {
  const auto sweeps_that_reach = [](sweeps& s, std::int64_t far) {
    fill(s, 2, 3000);
    s.margin = 8;
    s.block = 100;
    s.reaches = {{far, far, false}};
  };
  sweeps first;
  sweeps_that_reach(first, 1);
  sennit::memoized_splice found([&](int t) { return first.tree(t); });
  sennit::runtime rt({.workers = 2});
  rt.run([&] { found.run(8); });
  const auto saved = sennit::splice_schedule::from_bytes(found.schedule().to_bytes());

  sweeps second;
  sweeps_that_reach(second, 1);
  sennit::memoized_splice again([&](int t) { return second.tree(t); });
  again.follow(saved);
  rt.run([&] { again.run(8); });
  EXPECT_EQ(second.arrays, first.arrays);
  EXPECT_EQ(again.schedule(), saved);

#if SENNIT_EXCEPTIONS
  // Its trees are shifted further, and have a block more.
  sweeps wider;
  sweeps_that_reach(wider, 4);
  sennit::memoized_splice other([&](int t) { return wider.tree(t); });
  other.follow(saved);
  EXPECT_THROW(rt.run([&] { other.run(8); }), std::runtime_error);
  EXPECT_EQ(wider.longest.load(), 0) << "some steps were run before it was refused";
#endif
}

// Catches: results that differ from the loop's where blocks are shifted: with any reach, in place or not, with
// many arrays, blocks, groups and workers, spliced and memoized.
TEST(Shifts, KeepTheResultsOfTheLoop) {
  std::mt19937_64 random(11);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  int shifted = 0;
  for (int round = 0; round < 300; ++round) {
    sweeps s;
    const std::size_t arrays = static_cast<std::size_t>(1 + below(3));
    fill(s, arrays, static_cast<std::size_t>(40 + below(3000)));
    s.margin = 9;
    s.block = 1 + below(round % 3 == 0 ? 10 : 200);
    for (auto phases = 1 + below(3); phases > 0; --phases)
      s.reaches.push_back({below(4), below(9), arrays == 1 || below(4) == 0});
    // In place, a sweep may read what it has written, but not what another of its steps may be writing.
    for (auto& r : s.reaches)
      if (r.in_place) r.before = r.behind = 0;
    const int n = static_cast<int>(1 + below(20));
    std::vector<std::vector<double>> right;
    {
      sweeps serial;
      serial.arrays = s.arrays;
      serial.reaches = s.reaches;
      serial.margin = s.margin;
      serial.block = s.block;
      for (int t = 0; t < n; ++t) serial.tree(t)();
      right = serial.arrays;
    }
    const std::vector<std::vector<double>> before = s.arrays;
    const auto together = static_cast<std::uint32_t>(1 + below(8));
    for (const std::int64_t by : shifts_of(s, n, together)) shifted += by > 0;
    sennit::runtime rt({.workers = static_cast<unsigned>(1 + below(4))});
    rt.run([&] { sennit::splice({.together = together}, n, [&](int t) { return s.tree(t); }); });
    ASSERT_EQ(s.arrays, right) << "round " << round;
    const auto body = [&](int t) { return s.tree(t); };
    sennit::memoized_splice memo(body, {.together = together});
    for (int again = 0; again < 2; ++again) {
      for (std::size_t i = 0; i < arrays; ++i) std::ranges::copy(before[i], s.arrays[i].begin());
      rt.run([&] { memo.run(n); });
      ASSERT_EQ(s.arrays, right) << "round " << round << ", memoized";
    }
    ASSERT_LE(s.longest.load(), s.block);
  }
  EXPECT_GT(shifted, 100) << "nothing was shifted, so that the test shows nothing";
}

}  // namespace
