// SPDX-License-Identifier: Apache-2.0
// What the policies make of hundreds of workers: docs/design/simulator.md.
#include "engine/simulate.hpp"
#include "machine/machine_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace sennit::sim {
namespace {

constexpr picoseconds us = 1000 * nanosecond;

double bar(unsigned workers) { return workers <= 256 ? 0.9 : 0.85; }

double efficiency(const program& p, unsigned workers, bool asleep) {
  options how;
  how.workers = workers;
  how.asleep_at_first = asleep;
  return simulate(p, find_machine("64x16"), how).efficiency();
}

node_number tree(program& p, unsigned depth, picoseconds strand) {
  node_number n = p.work(strand);
  for (unsigned i = 0; i < depth; ++i) n = p.fork(n, n);
  return n;
}

// Some 10 ms for each worker.
// Catches: barriers that come before an owner has had the time to answer; workers that wake each other up slowly.
TEST(sim_efficiency, trees_of_forks) {
  for (const unsigned workers : {64U, 256U, 1024U}) {
    program p;
    p.set_root(tree(p, static_cast<unsigned>(std::bit_width(workers)) + 8, 20 * us));
    for (const bool asleep : {false, true})
      EXPECT_GE(efficiency(p, workers, asleep), bar(workers)) << workers;
  }
}

// Catches: loops that are dealt to one worker after the other; ends that are not shared.
TEST(sim_efficiency, loops_in_a_row) {
  for (const unsigned workers : {64U, 256U, 1024U}) {
    program p;
    const std::uint64_t n = std::uint64_t{200} * workers;
    const node_number part[] = {p.each(n, p.work(n * 10 * us))};
    const node_number loop = p.loop(part);
    const std::vector<node_number> three(3, loop);
    p.set_root(p.series(three));
    for (const bool asleep : {false, true})
      EXPECT_GE(efficiency(p, workers, asleep), bar(workers)) << workers;
  }
}

double of_short_loops(unsigned workers, picoseconds all, picoseconds iteration, bool asleep) {
  program p;
  const std::uint64_t n = all / iteration;
  const node_number part[] = {p.each(n, p.work(n * iteration))};
  const std::vector<node_number> loops(50, p.loop(part));
  p.set_root(p.series(loops));
  return efficiency(p, workers, asleep);
}

// 50 loops of 200 us of work, of which each of 80 workers has 2.5 us.
// Catches: parts that are cut for those who are about to get theirs; what does not divide evenly, all in one part; workers that
// are kept asleep by barriers.
TEST(sim_efficiency, short_loops_in_a_row) {
  EXPECT_GE(of_short_loops(32, 200 * us, us / 10, false), 0.75);
  EXPECT_GE(of_short_loops(80, 200 * us, us / 10, false), 0.55);
  EXPECT_GE(of_short_loops(80, 200 * us, us / 10, true), 0.4);
  EXPECT_GE(of_short_loops(256, 200 * us, us / 10, false), 0.3);
  EXPECT_GE(of_short_loops(64, 2000 * us, us, false), 0.88);
  EXPECT_GE(of_short_loops(256, 2000 * us, us, false), 0.7);
}

// Catches: a thousand workers that search for a quarter of a second before they sleep.
TEST(sim_efficiency, idle_workers_sleep) {
  program p;
  p.set_root(p.work(20'000 * us));
  const run_result r = simulate(p, find_machine("64x16"), {});
  picoseconds asleep = 0;
  for (const worker_result& w : r.workers) asleep += w.of(activity::asleep);
  EXPECT_GT(asleep, r.makespan * 1023 / 10 * 8);
}

}  // namespace
}  // namespace sennit::sim
