// Lifflander and Krishnamoorthy, 2017, on the simulated 8 x 10 cores.
#include "evidence/evidence.hpp"
#include "evidence/phases_runs.hpp"
#include "programs/phases.hpp"

#include <fmt/core.h>

#include <array>
#include <cctype>
#include <map>
#include <string>
#include <tuple>

namespace sennit::sim::evidence {

namespace {

constexpr unsigned rounds = 3;  // of refinement
constexpr std::array counts{1U, 2U, 4U, 8U, 16U, 32U, 64U};

// With the times of strands, such that a step takes as long on one core as the paper says.
std::vector<phased_program> all_programs() {
  std::vector<phased_program> all = problems_of_000();
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

timed_run by_schedule(const phased_program& what, unsigned workers, const machine& on) {
  const steal_schedule plan = refined(what, workers, 1, rounds);
  options ordered = cilk(workers);
  ordered.follow = replay::strict_ordered;
  return timed(what, form::forks, ordered, 1, &plan, on);
}

// Sennit's: equal parts for equal places, whatever comes late for others.
timed_run along_places(const phased_program& what, unsigned workers, const machine& on) {
  const phase_trees trees = trees_of(what, 1, workers);
  const steal_schedule plan = designed(trees, numbers(trees.blocks.size()));
  options relaxed{.workers = workers};
  relaxed.follow = replay::relaxed;
  return timed(what, form::forks, relaxed, 1, &plan, on);
}

struct results {
  std::map<std::string, std::map<std::string, std::map<unsigned, double>>> seconds;  // by program, way, cores
  std::map<std::string, double> serial;
  std::map<std::string, splice_counts> counts;  // of SP, at most cores
};

results results_on(const machine& on) {
  results r;
  for (const phased_program& loops : all_programs()) {
    const phased_program together = spliced(loops);
    auto& here = r.seconds[loops.name];
    r.serial[loops.name] = by_random(loops, 1, on).step;
    for (const unsigned cores : counts) {
      fmt::print(stderr, "{} {}\n", loops.name, cores);
      here["CILK"][cores] = by_random(loops, cores, on).step;
      here["CILKN"][cores] = by_schedule(loops, cores, on).step;
      const timed_run sp = by_random(together, cores, on);
      here["SP"][cores] = sp.step;
      r.counts[loops.name] = sp.result.splices;
      here["SPN"][cores] = by_schedule(together, cores, on).step;
      here["Sennit"][cores] = along_places(together, cores, on).step;
    }
  }
  return r;
}

// Speedups over a serial program that scales perfectly.
json figure_7() {
  json all{{"machine", "8x10"}, {"seed", 1}};
  const results r = results_on(eighty());
  for (const auto& [program, ways] : r.seconds)
    for (const auto& [way, by_cores] : ways)
      for (const auto& [cores, time] : by_cores)
        all["programs"][program][way][std::to_string(cores)] = rounded(r.serial.at(program) / cores / time);
  return all;
}

json means(const results& r) {
  json all;
  for (const auto& [domain, fewest, most] :
       {std::tuple{"within_node", 1U, 8U}, std::tuple{"across_nodes", 16U, 64U}}) {
    for (const char* way : {"SPN", "CILKN", "CILK", "Sennit"}) {
      std::vector<double> ratios;
      double sum = 0;
      for (const auto& [program, ways] : r.seconds) {
        for (const unsigned cores : counts) {
          if (cores < fewest || cores > most) continue;
          ratios.push_back(ways.at(way).at(cores) / ways.at("SP").at(cores));
          sum += ratios.back();
        }
      }
      std::string key = way;
      for (char& c : key) c = static_cast<char>(std::tolower(c));
      all[domain]["arithmetic"][key] = rounded(sum / static_cast<double>(ratios.size()));
      all[domain]["geometric"][key] = rounded(geometric_mean(ratios));
    }
  }
  return all;
}

json table_2() {
  json all{{"machine", "8x10"}, {"seed", 1}};
  all.update(means(results_on(eighty())));
  all["links_as_copied"] = means(results_on(links_as_copied()));
  return all;
}

}  // namespace

std::vector<figure> figures_of_000() { return {{"000/figure-7", figure_7}, {"000/table-2", table_2}}; }

}  // namespace sennit::sim::evidence
