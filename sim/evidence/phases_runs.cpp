// SPDX-License-Identifier: Apache-2.0
#include "evidence/phases_runs.hpp"

namespace sennit::sim::evidence {

const machine& eighty() {
  static const machine m = find_machine("8x10");
  return m;
}

machine with_links(std::uint64_t megabytes_a_second) {
  machine m = eighty();
  m.name += ", other links";
  m.memory.link_bandwidth = megabytes_a_second;
  return m;
}

machine links_as_copied() {
  machine m = with_links(6000);
  m.name = "8x10, links as the paper's copy has them";
  return m;
}

timed_run timed(const phased_program& what, form how, options with, unsigned steps,
                const steal_schedule* follow, const machine& on) {
  with.schedule = follow;
  const auto run = [&](unsigned n) { return simulate(phases_as(what, n, with.workers, how), on, with); };
  timed_run t;
  const double initialization = seconds(run(0).makespan);
  t.result = run(steps);
  t.step = (seconds(t.result.makespan) - initialization) / steps;
  return t;
}

std::vector<phased_program> timed_problems_of_004(unsigned steps) {
  std::vector<phased_program> all = problems_of_004();
  for (phased_program& p : all)
    give_times(p, timed(p, form::forks, {.workers = 1}, steps).step, p.serial_seconds);
  return all;
}

options cilk(unsigned workers) { return {.workers = workers, .by = steal::fence}; }

options sennit_along_places(unsigned workers) {
  return {.workers = workers, .from = victims::nearest, .cut = loops::places, .follow = replay::relaxed};
}

options sennit_spliced(unsigned workers) {
  return {.workers = workers, .from = victims::nearest, .follow = replay::relaxed, .most_delayed = -1};
}

std::vector<std::size_t> numbers(std::size_t n) {
  std::vector<std::size_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = i;
  return all;
}

std::vector<std::size_t> sources(const phased_program& what, const phase_trees& trees, unsigned of_step) {
  const std::size_t first = what.initialize.size();
  const std::size_t begin = first + of_step * (what.spliced ? 1 : what.step.size() * what.times);
  const std::size_t choices = what.spliced ? 1 : what.step.size();
  std::vector<std::size_t> all;
  for (std::size_t which = 0; which < trees.blocks.size(); ++which) {
    std::size_t best = which;
    std::uint64_t most = 0;
    for (std::size_t j = 0; j < choices; ++j) {
      if (what.step[j].size() != trees.blocks[which]) continue;
      std::uint64_t bytes = 0;
      for (const block_work& block : what.step[j])
        for (const touch& t : block.touched) bytes += t.bytes;
      if (bytes > most) {
        most = bytes;
        best = begin + j;
      }
    }
    all.push_back(best);
  }
  return all;
}

steal_schedule refined(const phased_program& what, unsigned workers, unsigned steps, unsigned rounds) {
  const phase_trees trees = trees_of(what, steps, workers);
  const std::vector<std::size_t> from = sources(what, trees, steps - 1);
  options how = cilk(workers);
  how.record = true;
  const program p = phases_as(what, steps, workers, form::forks);
  how.follow = replay::relaxed;
  steal_schedule plan = begun(trees);
  for (unsigned r = 0; r <= rounds; ++r) {
    how.schedule = &plan;
    plan = copied(simulate(p, eighty(), how).schedule, trees, from);
  }
  return plan;
}

}  // namespace sennit::sim::evidence
