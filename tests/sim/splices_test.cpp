// SPDX-License-Identifier: Apache-2.0
// Splices in the simulator: calls that are interleaved, and what theory says of them.
#include "engine/names.hpp"
#include "engine/simulate.hpp"
#include "random_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sennit::sim {
namespace {

constexpr picoseconds us = 1000 * nanosecond;

// So many sweeps over as many blocks, in place or from one array to the other and back: each step needs its neighbors within
// `reach`.
struct sweeps {
  unsigned calls;
  unsigned depth;  // 2^depth blocks
  unsigned reach = 1;
  picoseconds step = us;
  std::uint32_t bytes = 1024;
};

node_number tree_of(program& p, std::span<const node_number> leaves) {
  if (leaves.size() == 1) return leaves[0];
  const std::size_t half = leaves.size() / 2;
  const node_number left = tree_of(p, leaves.first(half));
  const node_number right = tree_of(p, leaves.subspan(half));
  return p.fork(left, right);
}

std::vector<node_number> calls_of(program& p, const sweeps& s) {
  const std::uint32_t blocks = 1U << s.depth;
  std::vector<node_number> calls;
  for (unsigned t = 0; t < s.calls; ++t) {
    std::vector<node_number> leaves;
    for (std::uint32_t b = 0; b < blocks; ++b) {
      std::vector<touch> touched;
      for (std::uint32_t near = b - std::min(b, s.reach); near <= b + s.reach && near < blocks; ++near)
        touched.push_back({t % 2 * blocks + near, s.bytes, false});
      touched.push_back({(t + 1) % 2 * blocks + b, s.bytes, true});
      leaves.push_back(p.work(s.step, touched));
    }
    calls.push_back(tree_of(p, leaves));
  }
  return calls;
}

program spliced(const sweeps& s) {
  program p;
  p.set_root(p.splice(calls_of(p, s)));
  return p;
}

program in_series(const sweeps& s) {
  program p;
  p.set_root(p.series(calls_of(p, s)));
  return p;
}

// Catches: steps that are lost or run twice, on one worker and on many.
TEST(sim_splices, each_step_runs_once) {
  const machine m = server(4, 4);
  const sweeps s{.calls = 6, .depth = 9};
  for (const unsigned workers : {1U, 2U, 7U, 16U}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const run_result r = simulate(spliced(s), m, {.workers = workers, .seed = seed});
      EXPECT_EQ(r.splices.steps, std::uint64_t{6} << 9);
      EXPECT_EQ(r.strands, std::uint64_t{6} << 9);
      if (workers > 1) {
        EXPECT_GT(r.steals, 0);
      }
    }
  }
}

// Catches: interleaving that does not keep data in the cache.
TEST(sim_splices, data_stays_in_the_cache) {
  const machine m = server(1, 4);
  const sweeps s{.calls = 8, .depth = 14, .bytes = 32 * 1024};
  const std::uint64_t apart = simulate(in_series(s), m, {.workers = 1}).local_bytes;
  const std::uint64_t together = simulate(spliced(s), m, {.workers = 1}).local_bytes;
  EXPECT_LT(together * 4, apart);
}

// Catches: results that depend on anything but the seed.
TEST(sim_splices, the_same_seed_gives_the_same_run) {
  const machine m = server(4, 4);
  const program p = spliced({.calls = 5, .depth = 10});
  const options how{.workers = 16, .seed = 7, .record = true};
  EXPECT_EQ(simulate(p, m, how), simulate(p, m, how));
}

// Catches: bundles that a schedule does not know again.
TEST(sim_splices, a_schedule_is_followed) {
  const machine m = server(4, 4);
  const program p = spliced({.calls = 4, .depth = 10});
  const steal_schedule taken = simulate(p, m, {.workers = 8, .record = true}).schedule;
  ASSERT_GT(taken.steals.size(), 7U);
  options again{.workers = 8, .record = true};
  again.follow = replay::strict_ordered;
  again.schedule = &taken;
  const run_result r = simulate(p, m, again);
  EXPECT_EQ(r.splices.steps, std::uint64_t{4} << 10);
  EXPECT_EQ(r.schedule.steals.size(), taken.steals.size());
}

// Catches: a call with a loop in it that is run as if it were a step.
TEST(sim_splices, calls_have_only_forks_and_series) {
  program p;
  const node_number part[] = {p.each(4, p.work(us))};
  const node_number calls[] = {p.loop(part)};
  p.set_root(p.splice(calls));
  EXPECT_THROW((void)simulate(p, server(1, 1), {.workers = 1}), std::invalid_argument);
}

// Calls of any shape, whose steps touch blocks at random, near their place or anywhere.
class random_splice {
 public:
  explicit random_splice(std::uint64_t seed) : state_(seed) {
    calls_ = 2 + below(7);
    const std::uint64_t far = below(4) == 0 ? blocks : 1 + below(8);
    std::vector<node_number> calls;
    for (std::uint64_t c = 0; c < calls_; ++c) calls.push_back(call(0, 0, blocks, far));
    const node_number one = made_.splice(calls);
    const node_number two[] = {one, made_.work(us), one};
    made_.set_root(made_.series(two));
  }
  const program& operator*() const noexcept { return made_; }
  std::uint64_t calls() const noexcept { return calls_; }
  std::uint64_t depth() const noexcept { return depth_; }

 private:
  static constexpr std::uint64_t blocks = 256;

  std::uint64_t below(std::uint64_t n) {
    state_ = name_of_branch(state_, 1);
    return state_ % n;
  }
  node_number step(std::uint64_t at, std::uint64_t far) {
    std::vector<touch> touched;
    for (std::uint64_t i = below(4); i > 0; --i)
      touched.push_back({static_cast<std::uint32_t>((at + below(far)) % blocks), 64, below(3) == 0});
    return made_.work(below(2 * us), touched);
  }
  node_number call(std::uint64_t depth, std::uint64_t first, std::uint64_t last, std::uint64_t far) {
    depth_ = std::max(depth_, depth);
    if (last - first <= 1 || below(24) == 0) {
      if (below(3) != 0) return step(first, far);
      std::vector<node_number> slices;
      for (std::uint64_t i = 1 + below(4); i > 0; --i) slices.push_back(step(first, far));
      return made_.series(slices);
    }
    const std::uint64_t middle = first + 1 + below(last - first - 1) / 2 + (last - first - 1) / 4;
    const node_number left = call(depth + 1, first, middle, far);
    const node_number right = call(depth + 1, middle, last, far);
    if (below(8) != 0) return made_.fork(left, right);
    const node_number parts[] = {left, step(first, far), right};
    return made_.series(parts);
  }

  std::uint64_t state_;
  program made_;
  std::uint64_t calls_ = 0;
  std::uint64_t depth_ = 0;
};

// 000, section 7: stacks take as many times the space as calls are interleaved, and what is delayed is bounded, as beyond the
// limit calls wait as a whole: in each row that a worker has open, at most all calls of it and of the row after it.
struct space {
  std::uint64_t stacks;
  std::uint64_t delayed;
};
space bound_of(std::uint64_t calls, std::uint64_t depth, const options& how) {
  const std::uint64_t rows = how.workers * (depth + 2);
  return {calls * rows, static_cast<std::uint64_t>(how.most_delayed) + 2 * calls * rows};
}

// Catches: rows that stay open; calls that are delayed step by step beyond the limit; steps that are lost.
TEST(sim_splices, space_grows_by_calls_and_workers) {
  const machine m = server(4, 4);
  std::uint64_t delayed = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const random_splice p(seed);
    const options how{
        .workers = 1U << seed % 6, .seed = seed, .most_delayed = static_cast<std::int64_t>(seed % 7 * 8)};
    const splice_counts found = simulate(*p, m, how).splices;
    const space most = bound_of(p.calls(), p.depth(), how);
    ASSERT_LE(found.most_calls, most.stacks) << seed;
    ASSERT_LE(found.most_delayed, most.delayed) << seed;
    delayed += found.delayed;
  }
  EXPECT_GT(delayed, 2000U);
}

// Catches: a bound that is so wide that it holds without a limit.
TEST(sim_splices, delays_without_a_limit_break_the_bound_of_space) {
  const machine m = server(4, 4);
  const sweeps s{.calls = 8, .depth = 10, .reach = 1 << 10, .bytes = 0};
  const program p = spliced(s);
  options how{.workers = 2, .most_delayed = 16};
  const space most = bound_of(s.calls, s.depth, how);
  EXPECT_LE(simulate(p, m, how).splices.most_delayed, most.delayed);
  how.broken = fault::no_limit;
  EXPECT_GT(simulate(p, m, how).splices.most_delayed, most.delayed);
}

// T_P <= T_1/P + c * T_inf of the program of bundles: a chain has the steps of all calls in the smallest row that a thief may
// take, and at each fork on the way what both sides have left for the join: at either end, each call `reach` steps more than the
// call before.
double spans_lost(const sweeps& s, options how) {
  const machine m = server(4, 4);
  const machine_costs& c = m.costs;
  const program p = spliced(s);
  const run_result r = simulate(p, m, how);
  const picoseconds each = c.steal_hit.other_node + c.strand + c.barrier(how.workers) +
                           2 * c.transfer.other_node + c.promotion + c.deque_lock;
  const picoseconds step = s.step + how.spliced_step;
  const std::uint64_t row = 2 * std::max<std::uint64_t>(4 * s.calls, (1U << s.depth) / (8 * how.workers) + 1);
  const picoseconds span = row * s.calls * step + s.depth * (each + s.calls * s.calls * s.reach * step);
  how.workers = 1;
  how.broken = fault::none;
  const run_result alone = simulate(p, m, how);
  return (static_cast<double>(r.makespan) - static_cast<double>(alone.makespan) / r.workers_used) /
         static_cast<double>(span);
}

// Catches: bundles that no thief gets; what is left for joins beyond what interferes.
TEST(sim_splices, work_and_span_bound_the_time) {
  double most = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const sweeps s{.calls = 2 + static_cast<unsigned>(seed % 5),
                   .depth = 7 + static_cast<unsigned>(seed / 5 % 4),
                   .reach = 1 + static_cast<unsigned>(seed % 2),
                   .step = (1 + seed % 9) * us,
                   .bytes = 0};
    options how{.workers = 2U << seed % 4, .seed = seed};
    how.by = static_cast<steal>(seed % 3);
    const double lost = spans_lost(s, how);
    most = std::max(most, lost);
    ASSERT_LE(lost, 2) << seed;
  }
  RecordProperty("most", std::to_string(most));
}

// Catches: a bound that is so wide that it holds if one worker does all.
TEST(sim_splices, rows_without_thieves_break_the_bound_of_time) {
  const sweeps s{.calls = 4, .depth = 12, .bytes = 0};
  options how{.workers = 16};
  EXPECT_LE(spans_lost(s, how), 2);
  how.broken = fault::no_thieves_of_rows;
  EXPECT_GT(spans_lost(s, how), 2);
}

}  // namespace
}  // namespace sennit::sim
