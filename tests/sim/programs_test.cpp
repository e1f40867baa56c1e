// SPDX-License-Identifier: Apache-2.0
// Catches: a schedule of a program of phases that names other branches than the run, so that nobody follows it; parts that lie with
// other workers than those that compute them; a graph whose colors are not those of its data.
#include "engine/simulate.hpp"
#include "machine/machine_file.hpp"
#include "programs/graphs.hpp"
#include "programs/loops.hpp"
#include "programs/phases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace {

using namespace sennit::sim;
using testing::ElementsAre;

// Two phases of sixteen blocks; the second reads what the first has written.
phased_program two_phases() {
  phased_program p{.name = "p", .initialize = {phase(16)}, .step = {phase(16)}, .serial_seconds = 0};
  for (std::uint32_t i = 0; i < 16; ++i) {
    p.initialize[0][i] = {.time = 1'000'000, .touched = {{i, 4096, true}}};
    p.step[0][i] = {.time = 1'000'000, .touched = {{i, 4096, false}}};
  }
  return p;
}

std::vector<std::size_t> all_of(const phase_trees& trees) {
  std::vector<std::size_t> all(trees.blocks.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

TEST(Phases, AreRunWhereTheDesignSays) {
  const machine m = find_machine("8x10");
  const phased_program p = two_phases();
  const phase_trees trees = trees_of(p, 2, 80);
  const steal_schedule design = designed(trees, all_of(trees));
  options how{.workers = 80, .follow = replay::strict_unordered, .schedule = &design};
  const run_result r = simulate(phases_as(p, 2, 80, form::forks), m, how);
  // Block i belongs to worker 5 i, and ten workers are a node.
  EXPECT_THAT(r.homes, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7));
  EXPECT_EQ(r.remote_accesses, 0u);
}

TEST(Phases, OfAnEarlierRunAreFollowedInAllPhases) {
  const machine m = find_machine("8x10");
  phased_program p = two_phases();
  // Longer than others leave the frames of who begins a phase alone.
  for (std::vector<phase>* all : {&p.initialize, &p.step})
    for (phase& each : *all)
      for (block_work& block : each) block.time = 1'000'000'000;
  const phase_trees trees = trees_of(p, 3, 80);
  const program what = phases_as(p, 3, 80, form::forks);
  const steal_schedule first = begun(trees);
  options how{.workers = 80, .follow = replay::relaxed, .schedule = &first, .record = true};
  const run_result free = simulate(what, m, how);
  EXPECT_GT(free.remote_accesses, 0u);
  const steal_schedule same = copied(free.schedule, trees, std::vector<std::size_t>(4, 3));
  how.schedule = &same;
  how.follow = replay::strict_unordered;
  EXPECT_EQ(simulate(what, m, how).remote_accesses, 0u);
}

TEST(Phases, LoopsOfWhichTheSameWorkerBeginsLieTheSame) {
  const machine m = find_machine("8x10");
  phased_program p = two_phases();
  for (std::vector<phase>* all : {&p.initialize, &p.step})
    for (block_work& block : all->front()) block.time = 100'000'000;
  const steal_schedule first = begun(trees_of(p, 2, 16));
  const options how{.workers = 16, .cut = loops::places, .follow = replay::relaxed, .schedule = &first};
  const run_result r = simulate(phases_as(p, 2, 16, form::loops), m, how);
  EXPECT_LE(r.remote_accesses, 4u);
}

TEST(Phases, ArePrunedFromTheLeaves) {
  const phase_trees trees{.blocks = {64}, .workers = 1};
  const machine m = find_machine("8x10");
  phased_program p{.name = "p", .initialize = {phase(64)}, .step = {}, .serial_seconds = 0};
  for (block_work& block : p.initialize[0]) block.time = 1'000'000'000;
  options how{.workers = 16, .record = true};
  const steal_schedule taken = simulate(phases_as(p, 0, 1, form::forks), m, how).schedule;
  ASSERT_GE(taken.steals.size(), 10u);
  const std::vector<std::uint64_t> before = grains(taken, trees, 0);
  EXPECT_EQ(std::accumulate(before.begin(), before.end(), std::uint64_t{0}), 64u);
  const std::vector<std::uint64_t> after = grains(pruned(taken, trees, 0.2), trees, 0);
  EXPECT_EQ(std::accumulate(after.begin(), after.end(), std::uint64_t{0}), 64u);
  EXPECT_LT(after.size(), before.size());
  EXPECT_GE(*std::ranges::max_element(after), *std::ranges::max_element(before));
}

TEST(Phases, TakeTheirSerialTime) {
  phased_program p = two_phases();
  give_times(p, 0.25, 1);
  picoseconds sum = 0;
  for (const block_work& block : p.step[0]) sum += block.time;
  EXPECT_NEAR(static_cast<double>(sum) * 1e-12, 0.75, 1e-6);
}

// Steps of 20 us for each of 80 workers, with a serial millisecond between in which the others fall asleep. `remote`: share of bytes.
struct along_places {
  double us;
  double remote;
};
along_places run_along_places(bool sleepers) {
  constexpr std::uint32_t n = 800;
  constexpr unsigned steps = 10;
  phased_program what{.name = "steps", .initialize = {phase(n)}, .step = {phase(1), phase(n)}};
  what.step[0][0].time = 1'000'000 * nanosecond;
  for (std::uint32_t i = 0; i < n; ++i) {
    what.initialize[0][i] = {.time = 2'000 * nanosecond, .touched = {{i, 4096, true}}};
    what.step[1][i] = what.initialize[0][i];
  }
  const steal_schedule by_first = begun(trees_of(what, steps, 80));
  const options how{.workers = 80,
                    .from = victims::nearest,
                    .cut = loops::places,
                    .follow = replay::relaxed,
                    .schedule = &by_first,
                    .sleepers = sleepers};
  const run_result r = simulate(phases_as(what, steps, 80, form::loops), find_machine("8x10"), how);
  return {static_cast<double>(r.makespan) / steps / (1000 * nanosecond),
          static_cast<double>(r.remote_bytes) / static_cast<double>(r.remote_bytes + r.local_bytes)};
}

// Catches: sleepers that get no part of a loop along places, and steal from anywhere when they have woken.
TEST(Phases, AlongPlacesAreSharedWithSleepers) {
  const along_places awake = run_along_places(false);
  const along_places asleep = run_along_places(true);
  EXPECT_LT(awake.remote, 0.02);
  EXPECT_LT(asleep.remote, 0.25);
  EXPECT_LT(asleep.us,
            awake.us + 300);  // wakes take turns; with steals in place of parts it is twice as much
}

TEST(Problems, OfThePapersHaveTheirTasks) {
  for (const phased_program& p : problems_of_004()) {
    EXPECT_FALSE(p.step.empty()) << p.name;
    const std::size_t tasks = p.name == "scan"                               ? 512
                              : p.name == "mg" || p.name == "floyd-warshall" ? 4096
                                                                             : 2048;
    EXPECT_EQ(p.step[0].size(), tasks) << p.name;
  }
  // Slices are all of a block, and a splice is one tree.
  for (phased_program p : problems_of_000()) {
    for (const phase& each : p.step)
      for (const block_work& block : each)
        if (!block.slices.empty()) {
          ASSERT_EQ(block.slices.back(), block.touched.size()) << p.name;
        }
    EXPECT_EQ(trees_of(p, 2, 80).blocks.size(), 1 + 2 * p.step.size() * p.times) << p.name;
    p.spliced = true;
    EXPECT_EQ(trees_of(p, 2, 80).blocks.size(), 3u) << p.name;
  }
}

TEST(Graphs, AreColoredByTheirData) {
  for (const task_graph& g : graphs_of_002()) {
    if (g.name != "swn2") continue;
    EXPECT_EQ(g.tasks.size(), 16384u);
    const std::vector<std::uint32_t> homes = homes_of(g, 80, 10);
    for (std::size_t t = 0; t < g.tasks.size(); t += 100) {
      const std::uint32_t color = color_of(g, t, 80, coloring::by_data);
      EXPECT_EQ(color / 10, homes[g.tasks[t].home]);
      EXPECT_NE(color_of(g, t, 80, coloring::bad) / 10, homes[g.tasks[t].home]);
    }
  }
}

TEST(Loops, TakeTheirSerialTimeOnOneWorker) {
  machine m = find_machine("16-epyc-7281");
  m.costs = {};
  for (const timed_program& p : programs_of_001()) {
    const run_result r = simulate(p.what, m, {.workers = 1});
    EXPECT_NEAR(static_cast<double>(r.makespan) * 1e-12, p.serial_seconds, p.serial_seconds * 1e-3) << p.name;
  }
}

}  // namespace
