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

std::vector<spliced_pair> all_pairs() {
  std::vector<spliced_pair> all = problems_of_000();
  for (spliced_pair& pair : all) {
    const double memory = timed(pair.loops, form::forks, {.workers = 1}, 1).step;
    give_times(pair.loops, memory, pair.loops.serial_seconds);
    // The strands of the bundle are those of all its sweeps.
    pair.spliced.initialize = pair.loops.initialize;
    for (std::size_t b = 0; b < pair.spliced.step[0].size(); ++b)
      for (const phase& sweep : pair.loops.step) pair.spliced.step[0][b].time += sweep[b].time;
  }
  return all;
}

double strictly(const phased_program& what, unsigned workers, const machine& on) {
  const steal_schedule plan = refined(what, workers, 1, rounds);
  options ordered = cilk(workers);
  ordered.follow = replay::strict_ordered;
  return timed(what, form::forks, ordered, 1, &plan, on).step;
}

// Sennit's: a declared tree is dealt out along places, and split.
double along_places(const phased_program& what, unsigned workers, const machine& on) {
  const steal_schedule by_first = begun(trees_of(what, 1, workers));
  return timed(
             what, form::loops,
             {.workers = workers, .from = victims::nearest, .cut = loops::places, .follow = replay::relaxed},
             1, &by_first, on)
      .step;
}

struct results {
  std::map<std::string, std::map<std::string, std::map<unsigned, double>>> seconds;  // by program, way, cores
  std::map<std::string, double> serial;
};

results results_on(const machine& on) {
  results r;
  for (const spliced_pair& pair : all_pairs()) {
    fmt::print(stderr, "{}\n", pair.loops.name);
    auto& here = r.seconds[pair.loops.name];
    r.serial[pair.loops.name] = timed(pair.loops, form::forks, cilk(1), 1, nullptr, on).step;
    for (const unsigned cores : counts) {
      here["CILK"][cores] = timed(pair.loops, form::forks, cilk(cores), 1, nullptr, on).step;
      here["CILKN"][cores] = strictly(pair.loops, cores, on);
      here["SP"][cores] = timed(pair.spliced, form::forks, cilk(cores), 1, nullptr, on).step;
      here["SPN"][cores] = strictly(pair.spliced, cores, on);
      here["Sennit"][cores] = along_places(pair.spliced, cores, on);
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
