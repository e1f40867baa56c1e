// SPDX-License-Identifier: Apache-2.0
// The theorems of the papers as bounds on simulated runs of random programs. Each bound is also shown to be broken by a policy
// with a mistake.
#include "engine/facts.hpp"
#include "engine/simulate.hpp"
#include "policy/victim.hpp"
#include "random_program.hpp"
#include "span.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace sennit::sim {
namespace {

constexpr picoseconds us = 1000 * nanosecond;

// What it costs at most until a frame that is there for others runs elsewhere, if a thief looks at its deque: the thief's
// request, the time for which it waits for the owner, a barrier, and the rest of the steal.
burden of_migration(const machine& m, const options& how) {
  const machine_costs& c = m.costs;
  burden b;
  b.each = c.steal_hit.other_node + c.strand + c.barrier(how.workers) + 2 * c.transfer.other_node +
           c.promotion + c.deque_lock;
  // Of chunks of 8 us, one is under way when a thief comes, and another one may be twice as long.
  b.chunks = 16 * us;
  if (how.asleep_at_first) b.each += c.wake_call + c.wake_latency + how.workers * c.steal_miss.other_node;
  return b;
}

// By how many spans the run is slower than T_1 / P.
double spans_lost(const program& p, const machine& m, options how, unsigned workers) {
  how.workers = workers;
  const run_result r = simulate(p, m, how);
  const burden b = of_migration(m, how);
  how.workers = 1;
  how.broken = fault::none;
  const run_result alone = simulate(p, m, how);
  return (static_cast<double>(r.makespan) - static_cast<double>(alone.makespan) / workers) /
         static_cast<double>(span_of(p, b) + b.each);
}

node_number tree(program& p, unsigned depth, picoseconds strand) {
  node_number n = p.work(strand);
  for (unsigned i = 0; i < depth; ++i) n = p.fork(n, n);
  return n;
}

// Blumofe, Leiserson 1999: T_P <= T_1/P + c * T_inf, with the cost of a migration for each construct on the chain. Greedy
// schedules have c = 1; here steals also wait for the barriers of others.
constexpr double greedy = 2;

// Catches: workers that wait though there is work, or steals that cost more than they should.
TEST(sim_theory, work_and_span_bound_the_time) {
  const machine m = server(4, 4);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const random_program p(seed, 7);
    options how;
    how.seed = seed;
    how.by = static_cast<steal>(seed % 3);
    how.asleep_at_first = seed / 3 % 2 == 0;
    ASSERT_LE(spans_lost(*p, m, how, 2U << seed % 5), greedy) << seed;
  }
}

// Catches: a bound that is so wide that it holds for sleepers that nobody wakes.
TEST(sim_theory, sleep_without_wakes_breaks_the_bound_of_time) {
  const machine m = server(4, 4);
  program p;
  p.set_root(tree(p, 14, 50 * nanosecond));
  options how;
  how.asleep_at_first = true;
  EXPECT_LE(spans_lost(p, m, how, 16), greedy);
  how.broken = fault::no_wakes;
  EXPECT_GT(spans_lost(p, m, how, 16), greedy);
}

// The same theorem: the steals are O(P * T_inf), here at most two for each worker and each fork on the chain.
// Catches: thieves that take the newest frame, which is little work; a bound so wide that it holds for them.
TEST(sim_theory, span_bounds_the_steals) {
  const machine m = server(4, 4);
  constexpr unsigned depth = 18;
  program p;
  p.set_root(tree(p, depth, 20 * nanosecond));
  for (const steal by : {steal::ask, steal::barrier, steal::fence}) {
    options how;
    how.workers = 16;
    how.by = by;
    const std::uint64_t bound = std::uint64_t{2} * how.workers * depth;
    EXPECT_LE(simulate(p, m, how).steals, bound) << static_cast<int>(by);
    how.broken = fault::newest_frame;
    EXPECT_GT(simulate(p, m, how).steals, bound) << static_cast<int>(by);
  }
}

// Acar, Chargueraud, Guatto, Rainey, Sieczkowski 2018 (reference 5 of 003): with a promotion each beat at most, and tau for a
// promotion and what follows from it, the work is at most (1 + tau/beat) * W, and the span (1 + beat/tau) * S, where each fork
// counts tau in S. So each fork on the chain waits for a beat at most.
struct beaten {
  double work;  // what was done, over the bound
  double time;  // the makespan, over the bound that follows from work and span
};
beaten with_beats(const program& p, const machine& m, options how) {
  const machine_costs& c = m.costs;
  const picoseconds effective =
      how.how == promotion::heartbeat ? std::max(how.heartbeat, c.signal_send * how.workers) : how.heartbeat;
  picoseconds tau = c.promotion + c.deque_lock + c.steal_hit.other_node + c.strand +
                    2 * c.transfer.other_node + c.barrier(how.workers);
  if (how.how == promotion::heartbeat) tau += c.signal_take;
  const run_result r = simulate(p, m, how);
  options one = how;
  one.workers = 1;
  one.how = promotion::on_demand;
  one.broken = fault::none;
  const double alone = static_cast<double>(simulate(p, m, one).makespan);
  const double ratio = static_cast<double>(tau) / static_cast<double>(effective);
  // Each worker may have begun one beat that has not paid for its promotion yet.
  const double first = static_cast<double>(how.workers * tau);
  const double span =
      static_cast<double>(span_of(p, {.each = tau + effective, .chunks = 16 * us}) + tau + effective);
  return {.work = static_cast<double>(r.work + r.overhead) / ((1 + ratio) * alone + first),
          .time = static_cast<double>(r.makespan) / ((1 + ratio) * alone / how.workers + span)};
}

// Catches: promotions that no beat has paid for; frames that beats pass by.
TEST(sim_theory, beats_bound_work_and_span) {
  const machine m = server(4, 4);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const random_program p(seed, 7);
    options how;
    how.seed = seed;
    how.sleepers = false;
    how.workers = 1U << seed % 6;
    how.how = seed / 6 % 2 == 0 ? promotion::paced : promotion::heartbeat;
    how.heartbeat = (5 + seed % 7 * 10) * us;
    const beaten r = with_beats(*p, m, how);
    ASSERT_LE(r.work, 1) << seed;
    ASSERT_LE(r.time, 1) << seed;
  }
}

// Catches: a bound that is so wide that it holds for promotions at any time.
TEST(sim_theory, promotions_without_a_period_break_the_bound_of_work) {
  const machine m = server(4, 4);
  program p;
  // A spine whose right branches are short: each steal costs more than it gives.
  node_number n = p.work(100 * nanosecond);
  const node_number leaf = n;
  for (unsigned i = 0; i < 5000; ++i) n = p.fork(leaf, n);
  p.set_root(n);
  options how;
  how.sleepers = false;
  how.workers = 8;
  how.by = steal::fence;
  how.how = promotion::paced;
  how.heartbeat = 30 * us;
  EXPECT_LE(with_beats(p, m, how).work, 1);
  how.broken = fault::no_period;
  EXPECT_GT(with_beats(p, m, how).work, 1);
}

// A grid of tasks, as a wavefront. Colors by rows, or all of one that is nobody's.
void set_grid(program& p, unsigned side, unsigned colors, bool one_color) {
  std::vector<node_number> tasks;
  std::vector<program::edge> edges;
  const node_number task = p.work(5 * us);
  for (unsigned i = 0; i < side * side; ++i) {
    tasks.push_back(p.colored(task, one_color ? 0 : i / side * colors / side));
    if (i % side + 1 < side) edges.push_back({i, i + 1});
    if (i + side < side * side) edges.push_back({i, i + side});
  }
  if (one_color) tasks.front() = p.colored(task, colors - 1);
  p.set_root(p.graph(tasks, edges));
}

// Theorem 1 of 002: T_P is O(T_1/P + T_inf + M lg d + lg(P/eps) + C), where C is what a worker looks for its own color at
// first. d is 2 here, and C four rounds of looks; M lg d is in the burden of a task.
double with_colors(const program& p, const machine& m, options how, unsigned workers) {
  how.from = victims::colored;
  how.workers = workers;
  const picoseconds looks = 4 * workers * m.costs.steal_miss.other_node;
  const burden b = of_migration(m, how);
  const run_result r = simulate(p, m, how);
  how.workers = 1;
  how.broken = fault::none;
  const double alone = static_cast<double>(simulate(p, m, how).makespan);
  return (static_cast<double>(r.makespan) - alone / workers - static_cast<double>(looks)) /
         static_cast<double>(span_of(p, b) + b.each);
}

// Catches: thieves that insist on their own color.
TEST(sim_theory, colors_cost_no_more_than_the_first_search) {
  const machine m = server(4, 4);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const random_program p(seed, 7);
    options how;
    how.seed = seed;
    how.by = static_cast<steal>(seed % 3);
    ASSERT_LE(with_colors(*p, m, how, 2U << seed % 5), greedy) << seed;
  }
  for (const bool one_color : {false, true}) {
    program grid;
    set_grid(grid, 40, 16, one_color);
    options how;
    EXPECT_LE(with_colors(grid, m, how, 16), greedy) << one_color;
    how.broken = fault::own_color;
    if (one_color) {
      EXPECT_GT(with_colors(grid, m, how, 16), greedy);
    }
  }
}

// Tasks with up to three random predecessors among the 40 before; colors at random, or all of one.
void set_random_graph(program& p, std::uint64_t seed, bool one_color) {
  policy::random_victim draws(seed);
  std::vector<node_number> tasks;
  std::vector<program::edge> edges;
  constexpr unsigned count = 400;
  for (unsigned t = 0; t < count; ++t) {
    const unsigned color = one_color && t > 0 ? 0 : draws.next(17, 16);
    tasks.push_back(p.colored(p.work((1 + draws.next(20, 19)) * us), color));
    for (unsigned before = 0; before < 3 && t > 40; ++before)
      edges.push_back({t - 1 - draws.next(41, 40), t});
  }
  std::ranges::sort(edges, {}, [](const program::edge& e) { return std::pair(e.before, e.after); });
  edges.erase(
      std::ranges::unique(edges, {}, [](const program::edge& e) { return std::pair(e.before, e.after); })
          .begin(),
      edges.end());
  p.set_root(p.graph(tasks, edges));
}

// The same for graphs whose tasks wait in boxes by color. A worker that has run out of its color waits for two tasks (20 us are
// the longest), as often as tasks are on a chain.
// Catches: boxes that nobody but a busy worker empties.
TEST(sim_theory, boxes_by_color_keep_the_bound) {
  const machine m = server(4, 4);
  constexpr double most = 1;  // spans; the worst of these has 0.75
  double broken = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const bool one_color = seed % 4 == 0;
    program p;
    set_random_graph(p, seed, one_color);
    options how;
    how.seed = seed;
    how.by = static_cast<steal>(seed % 3);
    const unsigned workers = 4U << seed % 3;
    const double lost = with_colors(p, m, how, workers);
    ASSERT_LE(lost, most) << seed;
    how.broken = fault::own_color;
    if (one_color && workers == 16) broken = std::max(broken, with_colors(p, m, how, workers));
  }
  EXPECT_GT(broken, most);
}

// Blumofe, Leiserson 1999: fully strict programs need no more than P times the space of one worker, as each innermost construct
// has a worker. A stolen branch needs a record more.
// Catches: records that are not given back, and thieves that leave a construct open without a worker in it.
TEST(sim_theory, space_grows_by_the_number_of_workers) {
  const machine m = server(4, 4);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const random_program p(seed, 7);
    options how;
    how.seed = seed;
    how.cut = loops::halves;
    how.grain = 1;
    how.workers = 1;
    const std::uint64_t alone = simulate(*p, m, how).most_records;
    how.workers = 2U << seed % 5;
    ASSERT_LE(simulate(*p, m, how).most_records, how.workers * (2 * alone + 1)) << seed;
  }
}

}  // namespace
}  // namespace sennit::sim
