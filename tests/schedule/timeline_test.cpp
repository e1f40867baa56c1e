// SPDX-License-Identifier: Apache-2.0
// When workers ran what, found from a tree's times.
#include "schedule/timeline.hpp"
#include "trees.hpp"

#include <sennit/schedule.hpp>

#include <gmock/gmock.h>

namespace sennit_test {
namespace {

using namespace sennit::detail;

std::vector<stretch> of(const std::vector<strand>& all, const steal* origin) {
  for (const strand& s : all) {
    if (s.origin == origin) return s.stretches;
  }
  return {};
}

void expect(const stretch& found, event by, std::uint64_t begin, std::uint64_t end) {
  EXPECT_EQ(found.by, by);
  EXPECT_EQ(found.when.begin, begin);
  EXPECT_EQ(found.when.end, end);
}

TEST(Timeline, IsEmptyWithoutTimes) { EXPECT_TRUE(strands({2, 0, {}}).empty()); }

TEST(Timeline, SplitsAStrandWhereItPauses) {
  const steal_tree tree{2, 100, {waited(taken(node(kind::fork, 0), {1, 0}, {10, 60}), {1, 1}, {40, 60})}};
  const auto found = strands(tree);
  ASSERT_EQ(found.size(), 2U);
  ASSERT_EQ(found[0].stretches.size(), 2U);
  expect(found[0].stretches[0], {0, 0}, 0, 40);
  expect(found[0].stretches[1], {1, 1}, 60, 100);
  expect(found[1].stretches[0], {1, 0}, 10, 60);
}

// Would catch: a join in a right branch taken for one of the strand that forked, and the reverse.
TEST(Timeline, TellsWhatIsInARightBranchFromWhatFollowsIt) {
  const steal_tree tree{4,
                        100,
                        {taken(node(kind::fork, 0), {1, 0}, {10, 60}),
                         waited(taken(node(kind::fork, 1), {2, 0}, {20, 40}), {2, 1}, {30, 40}),
                         waited(taken(node(kind::fork, 2), {3, 0}, {70, 90}), {3, 1}, {80, 90})}};
  const auto found = strands(tree);
  const auto root = of(found, nullptr);
  const auto right = of(found, &tree.root[0]);
  ASSERT_EQ(root.size(), 2U);
  ASSERT_EQ(right.size(), 2U);
  expect(root[1], {3, 1}, 90, 100);
  expect(right[0], {1, 0}, 10, 30);
  expect(right[1], {2, 1}, 40, 60);
  EXPECT_EQ(found[2].parent, 1U);
  EXPECT_EQ(found[3].parent, 0U);
}

TEST(Timeline, KnowsWhoseBranchesOfALoopWereTaken) {
  const steal_tree tree{
      5,
      100,
      {loop(0, 80,
            {taken(node(kind::fork, 0, {taken(node(kind::fork, 0), {2, 0}, {20, 50})}), {1, 0}, {10, 50}),
             taken(node(kind::fork, 1), {3, 0}, {30, 40})}),
       taken(node(kind::fork, 1), {4, 0}, {60, 70})}};
  const auto found = strands(tree);
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[1].parent, 0U);
  EXPECT_EQ(found[2].parent, 0U);
  EXPECT_EQ(found[3].parent, 1U);
  EXPECT_EQ(found[4].parent, 0U);
}

// Would catch: a worker in two places at once, or time that is lost.
TEST(Timeline, PutsEachWorkerInOnePlaceAtATime) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const steal_tree tree = sample(7, 6, seed);
    std::vector<std::vector<span_of_time>> of_worker(tree.roles);
    for (const strand& s : strands(tree)) {
      for (const stretch& part : s.stretches) of_worker[part.by.role].push_back(part.when);
    }
    for (auto& spans : of_worker) {
      std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
      for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_LE(spans[i - 1].end, spans[i].begin) << seed;
    }
  }
}

// Would catch: a crash on times that tell no story; a file may hold any.
TEST(Timeline, TakesAnyTimes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const steal_tree tree = random_tree(seed, true).make();
    for (const strand& s : strands(tree)) {
      for (const stretch& part : s.stretches) EXPECT_LE(part.when.begin, part.when.end);
    }
  }
}

TEST(Shares, SumUpToTheTimeOfAllWorkers) {
  const auto s = schedule_access::make(hold(sample(4, 5)));
  std::chrono::nanoseconds sum{0};
  std::uint64_t steals = 0;
  for (const sennit::worker_share& share : s.shares()) {
    sum += share.busy + share.idle;
    steals += share.steals;
  }
  EXPECT_EQ(sum, 4 * s.length());
  EXPECT_EQ(steals, s.steals());
  EXPECT_GT(s.idle().count(), 0);
}

TEST(Shares, OfAForkByHand) {
  const auto s = schedule_access::make(
      hold({2, 100, {waited(taken(node(kind::fork, 0), {1, 0}, {10, 60}), {1, 1}, {40, 60})}}));
  const auto shares = s.shares();
  EXPECT_EQ(shares[0].busy.count(), 40);
  EXPECT_EQ(shares[1].busy.count(), 90);
  EXPECT_EQ(shares[1].idle.count(), 10);
  EXPECT_EQ(s.idle().count(), 70);
}

}  // namespace
}  // namespace sennit_test
