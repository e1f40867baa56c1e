// SPDX-License-Identifier: Apache-2.0
// The pure part of schedules: trees compared, counted, walked, pruned.
#include "schedule/coarsening.hpp"
#include "schedule/plan.hpp"
#include "schedule/steal_tree.hpp"
#include "trees.hpp"

#include <gmock/gmock.h>

#include <functional>

namespace sennit_test {
namespace {

using namespace sennit::detail;
using testing::HasSubstr;

// Two levels: the root's strand is robbed at 0 and 5, a left branch at 2.
steal_tree by_hand() {
  return {3,
          0,
          {taken(node(kind::fork, 0, {taken(node(kind::fork, 2), {2, 0})}), {1, 0}),
           waited(taken(node(kind::fork, 5), {2, 1}), {2, 2})}};
}

TEST(StealTree, ComparesWithoutTimes) {
  steal_tree timed = by_hand();
  timed.length = 100;
  timed.root[0].ran = {1, 50};
  EXPECT_EQ(timed, by_hand());
}

// Would catch: a field, or a level, that the comparison leaves out.
TEST(StealTree, DiffersInEachPart) {
  const std::vector<std::function<void(steal_tree&)>> changes = {
      [](steal_tree& t) { t.roles = 4; },
      [](steal_tree& t) { t.root.pop_back(); },
      [](steal_tree& t) { t.root[0].at = 1; },
      [](steal_tree& t) { t.root[0].what = kind::child; },
      [](steal_tree& t) { t.root[0].taken = false; },
      [](steal_tree& t) { t.root[0].begun.role = 0; },
      [](steal_tree& t) { t.root[0].inside[0].begun.sequence = 7; },
      [](steal_tree& t) { t.root[0].inside.clear(); },
      [](steal_tree& t) { t.root[1].waited = false; },
      [](steal_tree& t) { t.root[1].resumed.role = 1; },
      [](steal_tree& t) { t.root[1].cut = 1; },
      [](steal_tree& t) { t.root[1].size = 1; }};
  for (const auto& change : changes) {
    steal_tree changed = by_hand();
    change(changed);
    EXPECT_NE(changed, by_hand()) << &change - changes.data();
  }
}

// Would catch: a schedule that is made coarser until a worker has nothing.
TEST(Coarsening, KeepsASteal) {
  EXPECT_EQ(steals_that_keep_busy(by_hand(), 0), 2U);
  EXPECT_EQ(steals_that_keep_busy(by_hand(), 3), 3U);
  EXPECT_EQ(steals_that_keep_busy({}, 0), 0U);
  for (const std::uint32_t workers : {2U, 3U, 8U}) {
    const steal_tree tree = sample(workers, 4);
    const steal_tree kept = prune(tree, steals_that_keep_busy(tree, 0));
    std::vector<bool> has_one(workers);
    walk(kept.root, [&](const visit& at) {
      if (at.node.taken) has_one[at.node.begun.role] = true;
    });
    for (std::uint32_t role = 1; role < workers; ++role)
      EXPECT_TRUE(has_one[role]) << role << " of " << workers;
  }
}

// Would catch: a worker that keeps a steal of a moment and loses one of an hour.
TEST(Coarsening, KeepsTheTimeOfAWorker) {
  // The outer steals are the first worker's, and the second worker's large one is within the last of them.
  steal_tree tree{3, 10'000, {}};
  tree.root = {
      taken(node(kind::fork, 0), {2, 0}, {0, 10}), taken(node(kind::fork, 1), {1, 0}, {10, 9'000}),
      taken(node(kind::fork, 2, {taken(node(kind::fork, 0), {2, 1}, {20, 8'000})}), {1, 1}, {9'000, 9'500})};
  EXPECT_EQ(steals_that_keep_busy(tree, 0), 4U);
  tree.root[2].inside[0].begun.role = 0;
  EXPECT_LT(steals_that_keep_busy(tree, 0), 4U);
}

TEST(StealTree, CountsStealsAndLevels) {
  EXPECT_EQ(steals(by_hand()), 3U);
  EXPECT_EQ(depth(by_hand()), 2U);
  EXPECT_EQ(steals({}), 0U);
  EXPECT_EQ(depth({}), 0U);
  // The forks that halve a loop are on its own level.
  const steal_tree nest{1, 0, {loop(0, 9, {node(kind::fork, 0, {taken(node(kind::fork, 0), {0, 1})})})}};
  EXPECT_EQ(depth(nest), 2U);
}

TEST(StealTree, IsWalkedInSerialOrder) {
  std::vector<std::uint64_t> entered;
  std::vector<std::uint64_t> left;
  walk(
      by_hand().root, [&](const visit& at) { entered.push_back(at.node.at); },
      [&](const steal& n) { left.push_back(n.at); });
  EXPECT_THAT(entered, testing::ElementsAre(0, 2, 5));
  EXPECT_THAT(left, testing::ElementsAre(2, 0, 5));
}

TEST(Complaint, IsNoneOfARandomTree) {
  for (unsigned seed = 0; seed < 200; ++seed)
    EXPECT_EQ(complaint(random_tree(seed, false).make()), "") << seed;
  EXPECT_EQ(complaint(sample(8, 6)), "");
  EXPECT_EQ(complaint({}), "");
}

struct fault {
  const char* says;
  steal_tree tree;
};

// Would catch: a check that is left out. Replay trusts what passes.
TEST(Complaint, NamesWhatIsWrong) {
  const std::vector<fault> faults = {
      {"0 workers", {0, 0, {}}},
      {"workers", {most_roles + 1, 0, {}}},
      {"out of order", {1, 0, {node(kind::fork, 4), node(kind::fork, 3)}}},
      {"out of order", {1, 0, {node(kind::fork, 4), node(kind::fork, 4)}}},
      {"out of order", {1, 0, {node(kind::wait, 4), node(kind::fork, 4)}}},
      {"out of order", {1, 0, {loop(0, 9, {node(kind::fork, 4), node(kind::child, 4)})}}},
      {"beyond the number of its workers", {1, 0, {taken(node(kind::fork, 0), {1, 0})}}},
      {"beyond the number of its workers", {1, 0, {waited(node(kind::fork, 0), {1, 0})}}},
      {"number each worker's events", {2, 0, {taken(node(kind::fork, 0), {1, 1})}}},
      {"number each worker's events", {1, 0, {taken(node(kind::fork, 0), {0, 0})}}},
      {"number each worker's events",
       {2, 0, {taken(node(kind::fork, 0), {1, 0}), taken(node(kind::fork, 1), {1, 0})}}},
      {"without a size", {1, 0, {loop(0, 0, {})}}},
      {"no program", {1, 0, {node(kind::fork, most_constructs)}}},
      {"thief", {2, 0, {taken(loop(0, 9, {}), {1, 0})}}},
      {"thief", {2, 0, {taken(node(kind::wait, 0), {1, 0})}}},
      {"nothing is waited for", {2, 0, {waited(node(kind::child, 0), {1, 0})}}},
      {"nothing is waited for", {2, 0, {waited(loop(0, 9, {}), {1, 0})}}},
      {"holds nothing", {1, 0, {node(kind::wait, 0, {node(kind::fork, 0)})}}}};
  for (const fault& f : faults) EXPECT_THAT(complaint(f.tree), HasSubstr(f.says)) << &f - faults.data();
}

TEST(Prune, KeepsTheOutermostSteals) {
  const steal_tree two = prune(by_hand(), 2);
  EXPECT_EQ(
      two,
      (steal_tree{
          3, 0, {taken(node(kind::fork, 0), {1, 0}), waited(taken(node(kind::fork, 5), {2, 0}), {2, 1})}}));
  EXPECT_EQ(prune(by_hand(), 1), (steal_tree{3, 0, {taken(node(kind::fork, 0), {1, 0})}}));
  EXPECT_EQ(prune(by_hand(), 0), (steal_tree{3, 0, {}}));
}

// Would catch: the first halving of a loop given up for a fork deep in what comes before.
TEST(Prune, KeepsTheLargestPartsOfALoop) {
  const auto before = [] { return node(kind::fork, 0, {taken(node(kind::fork, 0), {1, 0})}); };
  const steal inner = taken(node(kind::fork, 0), {3, 0});
  const steal outer = waited(taken(node(kind::fork, 0, {inner}), {2, 0}), {2, 1});
  const steal_tree tree{4, 0, {before(), loop(1, 800, {outer})}};
  const steal alone = waited(taken(node(kind::fork, 0), {2, 0}), {2, 1});
  EXPECT_EQ(prune(tree, 2), (steal_tree{4, 0, {before(), loop(1, 800, {alone})}}));
  EXPECT_EQ(prune(tree, 1), (steal_tree{4, 0, {loop(1, 800, {alone})}}));
  EXPECT_EQ(prune(tree, 0), (steal_tree{4, 0, {}}));
}

// Would catch: equal numbers in no order, or the region's beginning forgotten.
TEST(Events, AreNumberedInTheirOrder) {
  const auto fork = [](std::uint64_t at, event begun) { return taken(node(kind::fork, at), begun); };
  steal_tree tree{2, 0, {fork(0, {1, 5}), fork(1, {0, 0}), fork(2, {1, 5}), fork(3, {1, 2})}};
  number_events(tree);
  EXPECT_EQ(tree, (steal_tree{2, 0, {fork(0, {1, 1}), fork(1, {0, 1}), fork(2, {1, 2}), fork(3, {1, 0})}}));
}

// Would catch: a wait for children all of whom are where they were spawned.
TEST(Prune, DropsWaitsForNobody) {
  const steal_tree tree{
      2,
      0,
      {node(kind::child, 0, {taken(node(kind::child, 0), {1, 0})}), waited(node(kind::wait, 1), {1, 1})}};
  EXPECT_EQ(prune(tree, 0).root.size(), 0U);
}

TEST(Prune, OfRandomTreesStaysConsistent) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const steal_tree tree = random_tree(seed, true).make();
    const std::size_t all = steals(tree);
    for (std::size_t kept = 0; kept <= all; kept += 1 + all / 4) {
      const steal_tree pruned = prune(tree, kept);
      EXPECT_EQ(steals(pruned), kept);
      EXPECT_EQ(complaint(pruned), "") << seed;
      EXPECT_LE(depth(pruned), depth(tree));
      EXPECT_EQ(prune(pruned, kept), pruned) << seed;
    }
  }
}

// Would catch: recursion anywhere, which would run out of stack.
TEST(StealTree, MayBeAsDeepAsAProgramRecurses) {
  constexpr std::size_t deep = 1'000'000;
  steal_tree made{2, 0, {}};
  std::vector<steal>* list = &made.root;
  for (std::size_t i = 0; i < deep; ++i) {
    list->push_back(node(kind::fork, 1));
    list = &list->back().inside;
  }
  list->push_back(taken(node(kind::fork, 0), {1, 0}));
  const auto held = hold(std::move(made));
  EXPECT_EQ(depth(*held), deep + 1);
  EXPECT_EQ(complaint(*held), "");
  const auto copy = hold(prune(*held, 1));
  EXPECT_EQ(*copy, *held);
  const auto untimed = hold(without_times(*held));
  EXPECT_EQ(*untimed, *held);
  const plan followed(*held);
  const step* at = followed.root();
  while (at->of != nullptr && !at->of->taken) at = at->inside;
  EXPECT_EQ(at->at, 0U);
}

}  // namespace
}  // namespace sennit_test
