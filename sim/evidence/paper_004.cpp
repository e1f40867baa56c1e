// Lifflander, Krishnamoorthy and Kale, 2014, on the simulated 8 x 10 cores.
#include "evidence/evidence.hpp"
#include "programs/phases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

namespace sennit::sim::evidence {

namespace {

constexpr unsigned steps = 3;  // that are timed
constexpr unsigned refinements = 5;

const machine& eighty() {
  static const machine m = find_machine("8x10");
  return m;
}

// How long a step takes in the middle of a run: the initialization is simulated, and taken off.
struct timed_run {
  double step = 0;
  double initialization = 0;
  run_result result;
};

timed_run timed(const phased_program& what, form how, options with, const steal_schedule* follow = nullptr) {
  with.schedule = follow;
  const auto run = [&](unsigned n) { return simulate(phases_as(what, n, with.workers, how), eighty(), with); };
  timed_run t;
  t.initialization = seconds(run(0).makespan);
  t.result = run(steps);
  t.step = (seconds(t.result.makespan) - t.initialization) / steps;
  return t;
}

phased_program with_times(phased_program what) {
  const double memory = timed(what, form::forks, {.workers = 1}).step;
  give_times(what, memory, what.serial_seconds);
  return what;
}

std::vector<phased_program> all_programs() {
  std::vector<phased_program> all = problems_of_004();
  for (phased_program& p : all) p = with_times(std::move(p));
  return all;
}

options cilk(unsigned workers) { return {.workers = workers, .by = steal::fence}; }

std::vector<std::size_t> numbers(std::size_t n) {
  std::vector<std::size_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = i;
  return all;
}

// For each phase, the phase of the last step but one whose schedule it follows: the largest of those with as many blocks, or of
// the first step's own.
std::vector<std::size_t> sources(const phased_program& what, const phase_trees& trees, unsigned of_step) {
  const std::size_t first = what.initialize.size();
  const std::size_t begin = first + of_step * what.step.size();
  std::vector<std::size_t> all;
  for (std::size_t which = 0; which < trees.blocks.size(); ++which) {
    std::size_t best = which;
    std::uint64_t most = 0;
    for (std::size_t j = 0; j < what.step.size(); ++j) {
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

// A schedule that has been followed, relaxed, and taken anew some times; with it the data have moved.
steal_schedule refined(const phased_program& what, unsigned workers, unsigned rounds) {
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

constexpr std::array counts{1U, 10U, 20U, 40U, 60U, 80U};

json figure_4() {
  json all{{"machine", "8x10"}, {"seed", 1}, {"steps", steps}};
  std::vector<double> best;
  std::vector<double> plain;
  double specified = 0;
  for (const phased_program& what : all_programs()) {
    fmt::print(stderr, "{}\n", what.name);
    json& here = all["programs"][what.name];
    const double serial = timed(what, form::forks, cilk(1)).step;
    here["serial_seconds"] = rounded(serial);
    std::map<std::string, double> at_most;
    for (const unsigned workers : counts) {
      const std::string w = std::to_string(workers);
      const phase_trees trees = trees_of(what, steps, workers);
      const auto put = [&](const std::string& way, double step) {
        here["speedups"][way][w] = rounded(serial / step);
        if (workers == 80) at_most[way] = serial / step;
      };
      put("Cilk, first touch", timed(what, form::forks, cilk(workers)).step);
      // Pages that are dealt to the nodes in turn: the first phases are by a design, whose parts are blocks.
      {
        const program p = phases_as(what, 1, workers, form::forks);
        std::vector<std::uint32_t> homes(p.blocks());
        const unsigned nodes = std::max(1U, workers / 10);
        for (std::uint32_t b = 0; b < homes.size(); ++b) homes[b] = (b * 2654435761U >> 8) % nodes;
        options how = cilk(workers);
        how.homes = &homes;
        put("Cilk, interleaved", timed(what, form::forks, how).step);
      }
      options strict = cilk(workers);
      strict.follow = replay::strict_unordered;
      const steal_schedule design = designed(trees, numbers(trees.blocks.size()));
      put("user-specified (StUWS)", timed(what, form::forks, strict, &design).step);
      if (what.name != "scan") {
        const steal_schedule plan = refined(what, workers, refinements);
        options ordered = cilk(workers);
        ordered.follow = replay::strict_ordered;
        put("iterated (RelWS, then strict)", timed(what, form::forks, ordered, &plan).step);
      } else {
        options how = cilk(workers);
        how.record = true;
        const steal_schedule taken = simulate(phases_as(what, steps, workers, form::forks), eighty(), how).schedule;
        const steal_schedule plan = copied(taken, trees, std::vector<std::size_t>(trees.blocks.size(), 0));
        put("by the initialization (StUWS)", timed(what, form::forks, strict, &plan).step);
      }
      options places{.workers = workers, .from = victims::nearest, .cut = loops::places};
      put("Sennit: loops dealt along places", timed(what, form::loops, places).step);
    }
    const double base = at_most["Cilk, first touch"];
    plain.push_back(base);
    specified = std::max(specified, at_most["user-specified (StUWS)"]);
    if (what.name == "scan") {
      here["ratios"]["unordered_over_cilk"] = rounded(at_most["by the initialization (StUWS)"] / base);
    } else {
      here["ratios"]["iterated_over_cilk"] = rounded(at_most["iterated (RelWS, then strict)"] / base);
      best.push_back(at_most["iterated (RelWS, then strict)"] / base);
    }
    here["ratios"]["places_over_cilk"] = rounded(at_most["Sennit: loops dealt along places"] / base);
  }
  all["best_over_cilk"] = rounded(*std::ranges::max_element(best));
  all["cilk_speedup"] = rounded(geometric_mean(plain));
  all["user_specified_speedup"] = rounded(specified);
  return all;
}

}  // namespace

std::vector<figure> figures_of_004() { return {{"004/figure-4", figure_4}}; }

}  // namespace sennit::sim::evidence
