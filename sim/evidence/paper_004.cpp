// SPDX-License-Identifier: Apache-2.0
// Lifflander, Krishnamoorthy and Kale, 2014, on the simulated 8 x 10 cores.
#include "evidence/evidence.hpp"
#include "evidence/phases_runs.hpp"
#include "programs/phases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <span>
#include <string>

namespace sennit::sim::evidence {

namespace {

constexpr unsigned steps = 3;  // that are timed
constexpr unsigned refinements = 5;

std::vector<phased_program> all_programs() { return timed_problems_of_004(steps); }

constexpr std::array counts{1U, 10U, 20U, 40U, 60U, 80U};

json figure_4() {
  json all{{"machine", "8x10"}, {"seed", 1}, {"steps", steps}};
  std::vector<double> best;
  std::vector<double> plain;
  double specified = 0;
  for (const phased_program& what : all_programs()) {
    fmt::print(stderr, "{}\n", what.name);
    json& here = all["programs"][what.name];
    const double serial = timed(what, form::forks, cilk(1), steps).step;
    here["serial_seconds"] = rounded(serial);
    std::map<std::string, double> at_most;
    for (const unsigned workers : counts) {
      const std::string w = std::to_string(workers);
      const phase_trees trees = trees_of(what, steps, workers);
      const auto put = [&](const std::string& way, double step) {
        here["speedups"][way][w] = rounded(serial / step);
        if (workers == 80) at_most[way] = serial / step;
      };
      put("Cilk, first touch", timed(what, form::forks, cilk(workers), steps).step);
      // Pages that are dealt to the nodes in turn: the first phases are by a design, whose parts are blocks.
      {
        const program p = phases_as(what, 1, workers, form::forks);
        std::vector<std::uint32_t> homes(p.blocks());
        const unsigned nodes = std::max(1U, workers / 10);
        for (std::uint32_t b = 0; b < homes.size(); ++b) homes[b] = (b * 2654435761U >> 8) % nodes;
        options how = cilk(workers);
        how.homes = &homes;
        put("Cilk, interleaved", timed(what, form::forks, how, steps).step);
      }
      options strict = cilk(workers);
      strict.follow = replay::strict_unordered;
      const steal_schedule design = designed(trees, numbers(trees.blocks.size()));
      put("user-specified (StUWS)", timed(what, form::forks, strict, steps, &design).step);
      if (what.name != "scan") {
        const steal_schedule plan = refined(what, workers, steps, refinements);
        options ordered = cilk(workers);
        ordered.follow = replay::strict_ordered;
        put("iterated (RelWS, then strict)", timed(what, form::forks, ordered, steps, &plan).step);
      } else {
        options how = cilk(workers);
        how.record = true;
        const steal_schedule taken =
            simulate(phases_as(what, steps, workers, form::forks), eighty(), how).schedule;
        const steal_schedule plan = copied(taken, trees, std::vector<std::size_t>(trees.blocks.size(), 0));
        put("by the initialization (StUWS)", timed(what, form::forks, strict, steps, &plan).step);
      }
      options places{
          .workers = workers, .from = victims::nearest, .cut = loops::places, .follow = replay::relaxed};
      const steal_schedule by_first = begun(trees);
      put("Sennit: loops dealt along places", timed(what, form::loops, places, steps, &by_first).step);
      places.sleepers = false;
      put("the same, workers stay awake", timed(what, form::loops, places, steps, &by_first).step);
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
  // What if the links were those of the paper's copy? The same schedules, and the same strands.
  const machine slower = links_as_copied();
  std::vector<double> ratios;
  for (const phased_program& what : all_programs()) {
    if (what.name == "scan") continue;
    const steal_schedule plan = refined(what, 80, steps, refinements);
    options ordered = cilk(80);
    ordered.follow = replay::strict_ordered;
    const double ratio = timed(what, form::forks, cilk(80), steps, nullptr, slower).step /
                         timed(what, form::forks, ordered, steps, &plan, slower).step;
    all["links_as_copied"][what.name] = rounded(ratio);
    ratios.push_back(ratio);
  }
  all["links_as_copied_most"] = rounded(*std::ranges::max_element(ratios));
  all["best_over_cilk"] = rounded(*std::ranges::max_element(best));
  all["cilk_speedup"] = rounded(geometric_mean(plain));
  all["user_specified_speedup"] = rounded(specified);
  return all;
}

// The gain of a schedule by what the links between nodes carry. The schedules are those of the machine file.
json by_links() {
  json all{{"machine", "8x10"}, {"seed", 1}, {"cores", 80}};
  std::map<std::uint64_t, std::vector<double>> ratios;
  for (const phased_program& what : all_programs()) {
    if (what.name == "scan") continue;
    const steal_schedule plan = refined(what, 80, steps, refinements);
    options ordered = cilk(80);
    ordered.follow = replay::strict_ordered;
    for (const std::uint64_t links : {17'000U, 14'000U, 12'000U, 10'000U, 8'000U, 6'000U}) {
      const machine on = with_links(links);
      const double ratio = timed(what, form::forks, cilk(80), steps, nullptr, on).step /
                           timed(what, form::forks, ordered, steps, &plan, on).step;
      all["programs"][what.name][std::to_string(links)] = rounded(ratio);
      ratios[links].push_back(ratio);
    }
  }
  for (const auto& [links, of] : ratios) all["most"][std::to_string(links)] = rounded(std::ranges::max(of));
  return all;
}

// A copy of 8 GB between two arrays that the loop before has initialized.
json memcpy_of_8_gb() {
  constexpr std::uint32_t blocks = 16384;
  constexpr std::uint32_t bytes = 512 * 1024;
  phased_program copy{
      .name = "memcpy", .initialize = {phase(blocks)}, .step = {phase(blocks)}, .serial_seconds = 0};
  for (std::uint32_t i = 0; i < blocks; ++i) {
    copy.initialize[0][i].touched = {{i, bytes, true}, {blocks + i, bytes, true}};
    copy.step[0][i].touched = {{i, bytes, false}, {blocks + i, bytes, true}};
  }
  const phase_trees trees = trees_of(copy, steps, 80);
  const steal_schedule design = designed(trees, numbers(trees.blocks.size()));
  options strict = cilk(80);
  strict.follow = replay::strict_unordered;
  json all{{"machine", "8x10"}, {"seed", 1}};
  for (const machine& on : {eighty(), links_as_copied()}) {
    json& here = all["milliseconds"][on.name];
    here["static"] = rounded(timed(copy, form::forks, strict, steps, &design, on).step * 1e3);
    here["cilk"] = rounded(timed(copy, form::forks, cilk(80), steps, nullptr, on).step * 1e3);
  }
  return all;
}

// fib(48) with a serial leaf at fib(30), as section IV.C has it; a call takes five nanoseconds.
program fib(std::span<const touch> touched = {}) {
  constexpr unsigned n = 48;
  constexpr unsigned cutoff = 30;
  program p;
  double calls[cutoff + 1] = {1, 1};
  for (unsigned i = 2; i <= cutoff; ++i) calls[i] = 1 + calls[i - 1] + calls[i - 2];
  std::array<node_number, n + 1> nodes{};
  for (const unsigned i : {cutoff - 1, cutoff})
    nodes[i] = p.work(static_cast<picoseconds>(calls[i] * 5000), touched);
  for (unsigned i = cutoff + 1; i <= n; ++i) nodes[i] = p.fork(nodes[i - 1], nodes[i - 2]);
  p.set_root(nodes[n]);
  return p;
}

json figure_2b() {
  json all{{"machine", "8x10"}, {"seeds", 5}};
  const program p = fib();
  for (const unsigned workers : {20U, 40U, 60U, 80U}) {
    std::vector<double> before;
    std::vector<double> native;
    std::vector<double> followed;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      options how = cilk(workers - 10);
      how.seed = seed;
      how.record = true;
      const run_result fewer = simulate(p, eighty(), how);
      how.workers = workers;
      const run_result own = simulate(p, eighty(), how);
      how.follow = replay::relaxed;
      how.schedule = &fewer.schedule;
      before.push_back(seconds(fewer.makespan));
      native.push_back(seconds(own.makespan));
      followed.push_back(seconds(simulate(p, eighty(), how).makespan));
    }
    const std::string w = std::to_string(workers);
    all["seconds_before"][w] = rounded(geometric_mean(before));
    all["seconds"][w] = rounded(geometric_mean(native));
    all["seconds_followed"][w] = rounded(geometric_mean(followed));
    all["followed_over_native"][w] = rounded(geometric_mean(followed) / geometric_mean(native));
  }
  return all;
}

// A worker is slow where each leaf reads data that is far away for it alone: 79 cores are on the node of the data, and one is
// not.
json figure_2c() {
  std::string text = machine_text(eighty());
  const std::size_t at = text.find("\ncores =") + 1;
  text.replace(at, text.find('\n', at) - at, "cores = (1), (79)");
  machine odd = read_machine(text, "a machine with a slow core");
  machine_memory& m = odd.memory;
  m.private_bytes = m.shared_bytes = 0;
  m.local_latency = m.remote_latency = 0;
  m.core_local = 1'000'000'000;
  m.node_bandwidth = m.link_bandwidth = 0;
  m.core_remote = 4;
  // 3.24 times the 6.7 ms of a leaf, at 4 MB/s.
  const touch far{.block = 0, .bytes = 87000, .writes = false};
  const program slowed = fib({&far, 1});
  const program even = fib();
  const std::vector<std::uint32_t> homes{1};
  options how = cilk(80);
  how.homes = &homes;
  how.record = true;
  const run_result before = simulate(even, odd, how);
  const run_result free = simulate(slowed, odd, how);
  json all{{"machine", "8x10, of which one core is slow"}, {"seed", 1}};
  const double base = seconds(before.makespan);
  all["over_native"]["free"] = rounded(seconds(free.makespan) / base);
  how.schedule = &before.schedule;
  how.follow = replay::strict_ordered;
  all["over_native"]["ordered"] = rounded(seconds(simulate(slowed, odd, how).makespan) / base);
  how.follow = replay::relaxed;
  all["over_native"]["relaxed"] = rounded(seconds(simulate(slowed, odd, how).makespan) / base);
  return all;
}

// Each block is read where random stealing has put it, and written where a schedule that has been refined once computes it.
json figure_6() {
  json all{{"machine", "8x10"}, {"seed", 1}};
  for (const phased_program& what : all_programs()) {
    if (what.name == "scan") continue;
    for (const unsigned workers : counts) {
      const program whole = phases_as(what, 1, workers, form::forks);
      const std::vector<std::uint32_t> homes = simulate(whole, eighty(), cilk(workers)).homes;
      const steal_schedule plan = refined(what, workers, steps, 1);
      phased_program copy{.name = what.name, .initialize = what.initialize, .step = {}, .serial_seconds = 0};
      for (phase& each : copy.initialize) {
        for (block_work& block : each) {
          std::vector<touch> both;
          for (touch t : block.touched) {
            both.push_back({t.block, t.bytes, false});
            both.push_back({t.block + whole.blocks(), t.bytes, true});
          }
          block.touched = both;
        }
      }
      options how = cilk(workers);
      how.homes = &homes;
      how.follow = replay::strict_ordered;
      how.schedule = &plan;
      all["seconds"][what.name][std::to_string(workers)] =
          rounded(seconds(simulate(phases_as(copy, 0, workers, form::forks), eighty(), how).makespan));
    }
  }
  return all;
}

// Pruned to 15% and followed, relaxed, five times; pruned once more, and followed strictly.
json figure_7() {
  json all{{"machine", "8x10"}, {"seeds", 3}};
  for (const phased_program& what : all_programs()) {
    if (what.name != "heat" && what.name != "fdtd-2d" && what.name != "floyd-warshall") continue;
    json runs = json::array();
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const phase_trees trees = trees_of(what, steps, 80);
      const std::vector<std::size_t> from = sources(what, trees, steps - 1);
      const program p = phases_as(what, steps, 80, form::forks);
      options how = cilk(80);
      how.seed = seed;
      how.record = true;
      how.follow = replay::relaxed;
      steal_schedule plan = begun(trees);
      for (unsigned r = 0; r <= refinements; ++r) {
        how.schedule = &plan;
        plan = pruned(copied(simulate(p, eighty(), how).schedule, trees, from), trees, 0.15);
      }
      std::map<std::uint64_t, unsigned> histogram;
      for (unsigned size = 1; size <= 256; size *= 2) histogram[size] = 0;
      for (const std::uint64_t size : grains(plan, trees, from.back()))
        if (size > 0) ++histogram[std::min<std::uint64_t>(256, std::bit_floor(size))];
      json& here = runs.emplace_back();
      for (const auto& [size, count] : histogram) here[std::to_string(size)] = count;
    }
    all["grains"][what.name] = runs;
  }
  return all;
}

// After five iterations: the schedules of all phases of a step that have trees of their own.
json steal_trees() {
  json all{{"machine", "8x10"}, {"seed", 1}, {"bytes_per_steal", 8}};
  for (const phased_program& what : all_programs()) {
    if (what.name == "scan") continue;
    const phase_trees trees = trees_of(what, steps, 80);
    const std::vector<std::size_t> from = sources(what, trees, steps - 1);
    const steal_schedule plan = refined(what, 80, steps, refinements);
    std::vector<std::size_t> distinct = from;
    std::ranges::sort(distinct);
    distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
    std::size_t steals = 0;
    for (const std::size_t which : distinct) steals += grains(plan, trees, which).size() - 1;
    all["steals_per_worker"][what.name] = rounded(static_cast<double>(steals) / 80);
    all["kib_per_worker"][what.name] = rounded(static_cast<double>(steals) * 8 / 80 / 1024);
  }
  return all;
}

// A sweep of a splice, in place of a loop.
double spliced_sweep(const phased_program& sliced, unsigned sweeps) {
  phased_program together = sliced;
  together.spliced = true;
  const phase_trees trees = trees_of(together, 1, 80);
  const steal_schedule plan = designed(trees, numbers(trees.blocks.size()));
  return timed(together, form::forks, sennit_spliced(80), 1, &plan).step / sweeps;
}

json combination() {
  json all{{"machine", "8x10"}, {"seed", 1}, {"cores", 80}};
  const std::vector<phased_program> sliced = sliced_problems_of_004();
  for (const phased_program& what : all_programs()) {
    const phase_trees trees = trees_of(what, steps, 80);
    const steal_schedule design = designed(trees, numbers(trees.blocks.size()));
    options how = cilk(80);
    std::map<std::string, double> theirs{{"Cilk, first touch", timed(what, form::forks, how, steps).step}};
    how.follow = replay::strict_unordered;
    theirs["user-specified (StUWS)"] = timed(what, form::forks, how, steps, &design).step;
    if (what.name != "scan") {
      how.follow = replay::strict_ordered;
      const steal_schedule plan = refined(what, 80, steps, refinements);
      theirs["iterated (RelWS, then strict)"] = timed(what, form::forks, how, steps, &plan).step;
    }
    how = sennit_along_places(80);
    const steal_schedule by_first = begun(trees);
    std::map<std::string, double> ours{
        {"loops along places", timed(what, form::loops, how, steps, &by_first).step},
        {"relaxed replay along places", timed(what, form::forks, how, steps, &design).step}};
    for (phased_program each : sliced) {
      if (each.name != what.name) continue;
      const unsigned times = each.times * static_cast<unsigned>(each.step.size() / what.step.size());
      each.serial_seconds = what.serial_seconds * times;
      give_times(each, timed(each, form::forks, {.workers = 1}, 1).step, each.serial_seconds);
      ours["spliced, relaxed replay along places"] = spliced_sweep(each, times);
    }
    all["programs"][what.name] = beside_the_best(what.name, theirs, ours);
  }
  return all;
}

}  // namespace

std::vector<figure> figures_of_004() {
  return {{"combination/004", combination}, {"004/links", by_links},      {"004/memcpy", memcpy_of_8_gb},
          {"004/figure-2b", figure_2b},     {"004/figure-2c", figure_2c}, {"004/figure-4", figure_4},
          {"004/figure-6", figure_6},       {"004/figure-7", figure_7},   {"004/steal-trees", steal_trees}};
}

}  // namespace sennit::sim::evidence
