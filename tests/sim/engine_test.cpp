// SPDX-License-Identifier: Apache-2.0
// Simulated runs whose times are known, and what holds in each run.
#include "engine/facts.hpp"
#include "engine/simulate.hpp"
#include "random_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sennit::sim {
namespace {

constexpr picoseconds us = 1000 * nanosecond;

options with(unsigned workers, steal by = steal::fence) {
  options how;
  how.workers = workers;
  how.by = by;
  return how;
}

node_number tree(program& p, unsigned depth, picoseconds strand) {
  node_number n = p.work(strand);
  for (unsigned i = 0; i < depth; ++i) n = p.fork(n, n);
  return n;
}

// Catches: time that is counted twice or lost on one worker.
TEST(sim_engine, one_worker_takes_the_sum) {
  program p;
  const node_number parts[] = {p.work(3 * us), p.fork(p.work(2 * us), p.work(5 * us)), p.work(us)};
  p.set_root(p.series(parts));
  const machine m = server(1, 1);
  const run_result r = simulate(p, m, with(1, steal::ask));
  EXPECT_EQ(r.makespan, 11 * us + m.costs.fork);
  EXPECT_EQ(r.work, 11 * us);
  EXPECT_EQ(r.strands, 4U);
  EXPECT_EQ(r.steals, 0U);
}

// Catches: a thief that comes too early or too late, or a join that waits for the wrong one.
TEST(sim_engine, two_workers_share_a_fork) {
  program p;
  p.set_root(p.fork(p.work(us), p.work(us)));
  const machine m = server(1, 1);  // the two cores share no cache
  const machine_costs& c = m.costs;
  EXPECT_EQ(simulate(p, m, with(2)).makespan, c.steal_hit.same_node + c.strand + us);
  const run_result behind_barrier = simulate(p, m, with(2, steal::barrier));
  EXPECT_EQ(behind_barrier.makespan, c.barrier(2) + c.steal_hit.same_node + c.strand + us);
  EXPECT_EQ(behind_barrier.barriers, 1U);
  EXPECT_EQ(behind_barrier.steals, 1U);
}

// A machine on which nothing costs anything.
machine free_machine(unsigned nodes, unsigned cores) {
  machine m = server(nodes, cores);
  m.costs = {};
  return m;
}

// The owner pushes two frames and then is busy: a thief each.
program two_frames(picoseconds first, picoseconds second, picoseconds own) {
  program p;
  p.set_root(p.fork(p.fork(p.work(own), p.work(second)), p.work(first)));
  return p;
}

// Catches: two thieves that take from one deque at the same time.
TEST(sim_engine, a_steal_locks_the_deque) {
  machine m = free_machine(1, 3);
  m.costs.deque_lock = 100 * us;
  m.costs.steal_miss = {us, us, us};
  const program p = two_frames(1000 * us, 1000 * us, 1000 * us);
  for (const steal by : {steal::fence, steal::barrier}) {
    const picoseconds makespan = simulate(p, m, with(3, by)).makespan;
    EXPECT_GE(makespan, 1100 * us);
    EXPECT_LE(makespan, 1103 * us);
  }
}

// Catches: a thief that goes on asking for as short a time although barriers are seen to take long.
TEST(sim_engine, thieves_learn_what_a_barrier_takes) {
  machine m = free_machine(1, 2);
  m.costs.barrier_base = 100 * us;
  m.costs.steal_miss = m.costs.transfer = {nanosecond, nanosecond, nanosecond};
  const program p = two_frames(us, 2000 * us, 1000 * us);
  options how = with(2, steal::ask);
  how.sleepers = false;
  const run_result r = simulate(p, m, how);
  EXPECT_EQ(r.barriers, 2U);
  // It asks for 1 us at first, and for (3 * 1 us + 100 us) / 4 the next time.
  EXPECT_GE(r.makespan, (1 + 100 + 1 + 25 + 100 + 2000) * us);
}

// Catches: a thief of a paced owner that takes one frame after the other.
TEST(sim_engine, promotions_are_a_beat_apart) {
  program p;
  p.set_root(tree(p, 12, us));
  options how = with(8);
  how.how = promotion::paced;
  how.heartbeat = 50 * us;
  const run_result r = simulate(p, server(1, 8), how);
  EXPECT_GT(r.promotions, 8U);
  EXPECT_LE(r.promotions, 8 * (r.makespan / how.heartbeat + 1));
}

// Catches: nearest victims that are any victims.
TEST(sim_engine, nearest_victims_are_near) {
  machine m = free_machine(8, 4);
  m.costs.steal_miss = m.costs.steal_hit = {1 * nanosecond, 1 * nanosecond, 1000 * nanosecond};
  program p;
  p.set_root(tree(p, 12, us));
  const auto looks = [&](victims from) {
    options how = with(32);
    how.from = from;
    const run_result r = simulate(p, m, how);
    picoseconds time = 0;
    for (const worker_result& w : r.workers) time += w.of(activity::stealing);
    return static_cast<double>(time) / static_cast<double>(r.steals);
  };
  EXPECT_LT(looks(victims::nearest), 0.5 * looks(victims::random));
}

// Catches: the owner's fence that is not paid for.
TEST(sim_engine, owners_pay_for_fences) {
  program p;
  p.set_root(tree(p, 10, us));
  const machine m = server(1, 1);
  EXPECT_EQ(simulate(p, m, with(1)).makespan, 1024 * us + 1023 * (m.costs.fork + m.costs.fence));
}

// Catches: a chain that is run out of order.
TEST(sim_engine, a_chain_gains_nothing) {
  program p;
  const std::vector<node_number> parts(100, p.work(us));
  p.set_root(p.series(parts));
  EXPECT_EQ(simulate(p, server(1, 4), with(8)).makespan, 100 * us);
}

// Catches: tasks that begin before all their predecessors have ended, or not at all.
TEST(sim_engine, tasks_wait_for_their_predecessors) {
  program p;
  const node_number task = p.work(us);
  const node_number tasks[] = {task, task, task, task};
  const program::edge diamond[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  p.set_root(p.graph(tasks, diamond));
  const machine m = server(1, 2);
  const picoseconds alone = simulate(p, m, with(1)).makespan;
  EXPECT_GE(alone, 4 * us);
  EXPECT_LT(alone, 4 * us + 100 * nanosecond);
  const picoseconds both = simulate(p, m, with(2)).makespan;
  EXPECT_GE(both, 3 * us);
  EXPECT_LT(both, 3 * us + 500 * nanosecond);
}

// Catches: iterations that nobody runs, or that two run; a loop that is not shared.
TEST(sim_engine, loops_are_shared) {
  program p;
  const node_number part[] = {p.each(100'000, p.work(100'000 * us))};
  p.set_root(p.loop(part));
  const machine m = server(2, 4);
  EXPECT_LT(simulate(p, m, with(1)).makespan, 100'100 * us);
  for (const loops cut : {loops::split, loops::split_only, loops::places, loops::halves}) {
    options how = with(16, steal::ask);
    how.cut = cut;
    const run_result r = simulate(p, m, how);
    EXPECT_EQ(r.work, 100'000 * us);
    // Divided and conquered, there are eight parts for each worker.
    EXPECT_GT(r.efficiency(), cut == loops::halves ? 0.9 : 0.95) << static_cast<int>(cut);
  }
}

// Catches: children that are not waited for, at a wait or at the end of the series.
TEST(sim_engine, a_series_waits_for_its_children) {
  program p;
  const node_number child = p.spawn(p.work(us));
  const node_number parts[] = {child, child, p.wait(), p.work(us), child};
  p.set_root(p.series(parts));
  const machine m = server(1, 2);
  const run_result r = simulate(p, m, with(4));
  EXPECT_EQ(r.strands, 4U);
  EXPECT_GE(r.makespan, 3 * us);
  EXPECT_LT(r.makespan, 4 * us);
}

// Catches: workers that sleep while there is work, or are woken too late.
TEST(sim_engine, sleepers_are_woken) {
  program p;
  p.set_root(tree(p, 14, 2 * us));
  const machine m = server(2, 4);
  options how = with(16, steal::ask);
  how.asleep_at_first = true;
  const run_result r = simulate(p, m, how);
  EXPECT_GE(r.wakes, 15U);
  EXPECT_GT(r.efficiency(), 0.9);
  how.broken = fault::no_wakes;
  EXPECT_LT(simulate(p, m, how).efficiency(), 0.1);
}

// Catches: memory that is placed or counted for the wrong core.
TEST(sim_engine, first_touch_makes_memory_local) {
  program p;
  std::vector<node_number> parts;
  for (std::uint32_t b = 0; b < 64; ++b) {
    const touch block[] = {{.block = b, .bytes = 1 << 16, .writes = true}};
    parts.push_back(p.work(10 * us, block));
  }
  p.set_root(p.loop(parts));
  const machine m = server(2, 2);
  options how = with(8);
  how.record = true;
  const run_result first = simulate(p, m, how);
  EXPECT_EQ(first.remote_bytes, 0U);
  EXPECT_GT(first.local_bytes, 0U);
  // The same schedule again finds its blocks where it has put them.
  options again = with(8);
  again.homes = &first.homes;
  again.schedule = &first.schedule;
  again.follow = replay::strict_ordered;
  EXPECT_EQ(simulate(p, m, again).remote_accesses, 0U);
  const std::vector<std::uint32_t> far(64, 1);
  options one = with(1);
  one.homes = &far;
  EXPECT_EQ(simulate(p, m, one).remote_accesses, 64U);
}

// Catches: arguments that lead to a run without an end.
TEST(sim_engine, refuses_what_it_cannot_run) {
  program p;
  const machine m = server(1, 1);
  EXPECT_THROW(simulate(p, m), std::invalid_argument);
  p.set_root(p.work(1));
  EXPECT_THROW(simulate(p, m, with(3)), std::invalid_argument);
  options how;
  how.follow = replay::relaxed;
  EXPECT_THROW(simulate(p, m, how), std::invalid_argument);
  const node_number tasks[] = {p.work(1), p.work(1)};
  const program::edge cycle[] = {{0, 1}, {1, 0}};
  p.set_root(p.graph(tasks, cycle));
  EXPECT_THROW(simulate(p, m), std::invalid_argument);
}

options at_random(std::uint64_t seed) {
  std::uint64_t state = seed;
  const auto below = [&](std::uint64_t n) { return (state = name_of_branch(state, 1)) % n; };
  options how;
  how.workers = 1U << below(6);
  how.seed = seed;
  how.how = static_cast<promotion>(below(4));
  how.heartbeat = (3 + below(20)) * us;
  how.by = static_cast<steal>(below(3));
  how.from = static_cast<victims>(below(3));
  how.cut = static_cast<loops>(below(4));
  how.sleepers = below(2) == 0;
  how.asleep_at_first = below(2) == 0;
  how.record = true;
  how.timeline = below(2) == 0;
  return how;
}

// Catches: strands that are lost or run twice, whatever the policies; workers all of whom wait; time of a worker that is
// not accounted for; results that differ from one run to the next.
TEST(sim_engine, runs_all_of_each_program) {
  const machine m = server(4, 4);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const random_program p(seed / 8);
    const picoseconds work = program_facts(*p).work(p->root());
    const options how = at_random(seed);
    const run_result r = simulate(*p, m, how);
    ASSERT_EQ(r.work, work) << seed;
    ASSERT_TRUE(simulate(*p, m, how) == r) << seed;
    for (const worker_result& w : r.workers) {
      picoseconds all = 0;
      for (const picoseconds t : w.spent) all += t;
      ASSERT_EQ(all, r.makespan) << seed;
    }
    options again = how;
    again.record = false;
    again.schedule = &r.schedule;
    for (const replay follow : {replay::strict_ordered, replay::strict_unordered, replay::relaxed}) {
      again.follow = follow;
      again.seed = seed + 1;
      ASSERT_EQ(simulate(*p, m, again).work, work) << seed << " " << static_cast<int>(follow);
    }
  }
}

// A worker has a long strand, and a schedule gives it short ones that wait behind it.
// Catches: a relaxed replay in which a branch stays with a worker that is late; others that do not wait for it until then.
TEST(sim_engine, relaxed_replays_let_others_have_what_is_late) {
  constexpr picoseconds us = 1000 * nanosecond;
  const machine m = server(1, 4);
  program p;
  steal_schedule plan{.workers = 4, .steals = {}};
  std::vector<node_number> parts;
  const auto spawn = [&](std::uint32_t worker, picoseconds time) {
    plan.steals.push_back({.branch = name_of_branch(0, parts.size()), .worker = worker});
    parts.push_back(p.spawn(p.work(time)));
  };
  spawn(1, 10'000 * us);
  for (unsigned i = 0; i < 10; ++i) spawn(1, 100 * us);
  for (unsigned i = 0; i < 20; ++i) spawn(2, 100 * us);
  parts.push_back(p.wait());
  p.set_root(p.series(parts));
  options how = with(4);
  how.schedule = &plan;
  how.follow = replay::relaxed;
  how.record = true;
  const run_result r = simulate(p, m, how);
  EXPECT_LT(r.makespan, 10'200 * us);
  EXPECT_EQ(std::ranges::count(r.schedule.steals, 1U, &recorded_steal::worker), 1);
  how.broken = fault::no_lateness;
  EXPECT_GT(simulate(p, m, how).makespan, 10'900 * us);
}

// Catches: a replay that gives work to others than the recorded ones.
TEST(sim_engine, strict_replays_repeat_who_ran_what) {
  const machine m = server(4, 4);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const random_program p(seed);
    options how;
    how.workers = 8;
    how.seed = seed;
    how.record = true;
    const run_result first = simulate(*p, m, how);
    options again = how;
    again.seed = seed + 1;
    again.schedule = &first.schedule;
    again.follow = replay::strict_ordered;
    const auto who_has = [](const run_result& r) {
      std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
      for (const recorded_steal& one : r.schedule.steals) all.emplace_back(one.branch, one.worker);
      std::ranges::sort(all);
      return all;
    };
    // A worker may also find what it has itself left for others.
    ASSERT_TRUE(std::ranges::includes(who_has(simulate(*p, m, again)), who_has(first))) << seed;
    again.follow = replay::strict_unordered;
    ASSERT_TRUE(std::ranges::includes(who_has(simulate(*p, m, again)), who_has(first))) << seed;
  }
}

}  // namespace
}  // namespace sennit::sim
