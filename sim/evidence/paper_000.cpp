// SPDX-License-Identifier: Apache-2.0
// Lifflander and Krishnamoorthy, 2017, on the simulated 8 x 10 cores.
#include "evidence/evidence.hpp"
#include "evidence/phases_runs.hpp"
#include "programs/phases.hpp"

#include <fmt/core.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <future>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sennit::sim::evidence {

namespace {

constexpr std::array all_counts{1U, 2U, 4U, 8U, 16U, 32U, 64U};

// With the times of strands, such that a step takes as long on one core as the paper says.
std::vector<phased_program> all_programs(unsigned finer = 1) {
  std::vector<phased_program> all = problems_of_000(finer);
  for (phased_program& p : all)
    give_times(p, timed(p, form::forks, {.workers = 1}, 1).step, p.serial_seconds);
  return all;
}

phased_program spliced(phased_program p) {
  p.spliced = true;
  return p;
}

timed_run by_random(const phased_program& what, unsigned workers, const machine& on) {
  return timed(what, form::forks, cilk(workers), 1, nullptr, on);
}

// The n-th part of each phase to the n-th worker, relaxed: what comes late is others' (reference 23 of the paper).
timed_run by_schedule(const phased_program& what, options how, const machine& on) {
  const phase_trees trees = trees_of(what, 1, how.workers);
  const steal_schedule plan = designed(trees, numbers(trees.blocks.size()));
  how.follow = replay::relaxed;
  return timed(what, form::forks, how, 1, &plan, on);
}

using by_cores = std::map<unsigned, double>;

// Speedups over a serial program that scales perfectly, by way of running it.
std::map<std::string, by_cores> speedups(const phased_program& loops, std::span<const unsigned> counts,
                                         const machine& on) {
  const phased_program together = spliced(loops);
  const double serial = by_random(loops, 1, on).step;
  std::map<std::string, by_cores> all;
  for (const unsigned cores : counts) {
    const auto add = [&](const char* way, const timed_run& t) { all[way][cores] = serial / cores / t.step; };
    add("CILK", by_random(loops, cores, on));
    add("CILKN", by_schedule(loops, cilk(cores), on));
    add("SP", by_random(together, cores, on));
    add("SPN", by_schedule(together, cilk(cores), on));
    add("Sennit", by_schedule(together, {.workers = cores}, on));
    std::string found;
    for (const auto& [way, by] : all) found += fmt::format(" {} {:.3f}", way, by.at(cores));
    fmt::print(stderr, "{} {}:{}\n", loops.name, cores, found);
  }
  return all;
}

// One for each program; some are simulated at a time.
template <class Of>
auto of_each(const std::vector<phased_program>& programs, const Of& of) {
  std::vector<decltype(of(programs[0]))> all(programs.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < programs.size();)
      all[i] = of(programs[i]);
  };
  const auto other = std::async(std::launch::async, work);
  work();
  other.wait();
  return all;
}

json speedups_on(const machine& on, std::span<const unsigned> counts) {
  const std::vector<phased_program> programs = all_programs();
  const auto found = of_each(programs, [&](const phased_program& p) { return speedups(p, counts, on); });
  json all;
  for (std::size_t i = 0; i < programs.size(); ++i)
    for (const auto& [way, by] : found[i])
      for (const auto& [cores, speedup] : by)
        all[programs[i].name][way][std::to_string(cores)] = rounded(speedup);
  return all;
}

json figure_7() {
  return {{"machine", "8x10"}, {"seed", 1}, {"programs", speedups_on(eighty(), all_counts)}};
}

// The same beyond a node, by what the links between nodes carry.
json by_links() {
  json all{{"machine", "8x10"}, {"seed", 1}};
  constexpr std::array beyond{16U, 64U};
  for (const std::uint64_t links : {17'000U, 12'000U, 8'000U, 6'000U})
    all["programs by links"][std::to_string(links)] = speedups_on(with_links(links), beyond);
  return all;
}

// Bytes from memory, spliced over loops, on one core.
json table_3() {
  json all{{"machine", "8x10"}, {"seed", 1}};
  // Of a step, without the initialization.
  const auto bytes = [](const phased_program& p) {
    const auto all_of = [&](unsigned steps) {
      return static_cast<double>(
          simulate(phases_as(p, steps, 1, form::forks), eighty(), cilk(1)).local_bytes);
    };
    return all_of(1) - all_of(0);
  };
  for (const phased_program& p : problems_of_000())
    all["programs"][p.name] = rounded(bytes(spliced(p)) / bytes(p));
  return all;
}

json table_4() {
  json all{{"machine", "8x10"}, {"seed", 1}, {"cores", all_counts.back()}};
  for (const phased_program& p : all_programs()) {
    const splice_counts c = by_random(spliced(p), all_counts.back(), eighty()).result.splices;
    all["programs"][p.name] = {{"steps", c.steps},
                               {"checks", c.checks},
                               {"switches", c.switches},
                               {"delayed", c.delayed},
                               {"most_delayed", c.most_delayed}};
  }
  return all;
}

// Sennit chooses the blocks: of these, each of 80 workers has some.
json combination() {
  constexpr unsigned cores = 80;
  constexpr unsigned finer = 8;
  const std::vector<phased_program> coarse = all_programs();
  const std::vector<phased_program> fine = all_programs(finer);
  json all{{"machine", "8x10"}, {"seed", 1}, {"cores", cores}};
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    const phased_program together = spliced(coarse[i]);
    const std::map<std::string, double> theirs{{"CILK", by_random(coarse[i], cores, eighty()).step},
                                               {"CILKN", by_schedule(coarse[i], cilk(cores), eighty()).step},
                                               {"SP", by_random(together, cores, eighty()).step},
                                               {"SPN", by_schedule(together, cilk(cores), eighty()).step}};
    const steal_schedule by_first = begun(trees_of(fine[i], 1, cores));
    const std::map<std::string, double> ours{
        {"loops along places", timed(fine[i], form::loops, sennit_along_places(cores), 1, &by_first).step},
        {"spliced, relaxed replay along places, blocks as theirs",
         by_schedule(together, sennit_spliced(cores), eighty()).step},
        {"spliced, relaxed replay along places",
         by_schedule(spliced(fine[i]), sennit_spliced(cores), eighty()).step}};
    all["programs"][coarse[i].name] = beside_the_best(coarse[i].name, theirs, ours);
  }
  return all;
}

}  // namespace

std::vector<figure> figures_of_000() {
  return {{"combination/000", combination},
          {"000/links", by_links},
          {"000/figure-7", figure_7},
          {"000/table-3", table_3},
          {"000/table-4", table_4}};
}

}  // namespace sennit::sim::evidence
