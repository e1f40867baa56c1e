// SPDX-License-Identifier: Apache-2.0
// Maglalang, Krishnamoorthy and Agrawal, 2016, on the simulated 8 x 10 cores.
#include "engine/names.hpp"
#include "evidence/evidence.hpp"
#include "programs/graphs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>

namespace sennit::sim::evidence {

namespace {

constexpr std::array counts{1U, 10U, 20U, 40U, 60U, 80U};
constexpr unsigned workers_per_node = 10;

const machine& eighty() {
  static const machine m = find_machine("8x10");
  return m;
}

// Of a run, what the figures need.
struct measured {
  double seconds = 0;
  double remote_share = 0;
  std::uint64_t steals = 0;
  double us_to_first_work = 0;
};

// Colors are workers, as the paper has them, or nodes.
enum class colors_are : std::uint8_t { workers, nodes };

measured run(const task_graph& graph, unsigned workers, coloring colors,
             colors_are whose = colors_are::workers, bool timeline = false, steal by = steal::fence,
             victims from = victims::random) {
  const std::vector<std::uint32_t> homes = homes_of(graph, workers, workers_per_node);
  options how{.workers = workers, .by = by, .from = from, .homes = &homes, .timeline = timeline};
  if (colors != coloring::none) how.from = victims::colored;
  const run_result r = simulate(
      graph_as(graph, workers, colors, whose == colors_are::nodes ? workers_per_node : 1), eighty(), how);
  measured m{.seconds = seconds(r.makespan), .steals = r.steals};
  const double all = static_cast<double>(r.local_accesses + r.remote_accesses);
  m.remote_share = all == 0 ? 0 : static_cast<double>(r.remote_accesses) / all;
  if (timeline) {
    std::map<std::uint32_t, picoseconds> first;
    for (const slice& s : r.timeline)
      if (s.what == activity::working && !first.contains(s.worker)) first[s.worker] = s.begin;
    double sum = 0;
    for (unsigned w = 0; w < workers; ++w) sum += seconds(first.contains(w) ? first[w] : r.makespan);
    m.us_to_first_work = sum / workers * 1e6;
  }
  return m;
}

// As OpenMP's static loops have it: a worker runs the tasks of its own blocks, iteration by iteration; all wait for the
// slowest. Simulated as one loop for each iteration or diagonal, which is dealt along places and not stolen from.
double static_seconds(const task_graph& graph, unsigned workers) {
  // The level of a task: one more than the highest that it waits for.
  std::vector<std::uint32_t> level(graph.tasks.size());
  for (const program::edge& e : graph.edges) level[e.after] = std::max(level[e.after], level[e.before] + 1);
  std::uint32_t levels = 0;
  for (const std::uint32_t l : level) levels = std::max(levels, l + 1);
  std::vector<std::vector<std::vector<std::size_t>>> parts(levels,
                                                           std::vector<std::vector<std::size_t>>(workers));
  std::vector<std::vector<std::size_t>> of_level(levels);
  for (std::size_t t = 0; t < level.size(); ++t) of_level[level[t]].push_back(t);
  // A task of a worker: all of its tasks in the level, one after the other.
  program p;
  std::vector<node_number> tasks;
  std::vector<program::edge> edges;
  steal_schedule plan{.workers = workers, .steals = {}};
  const bool by_place = of_level[0].size() >= workers;
  for (std::uint32_t l = 0; l < levels; ++l) {
    std::vector<std::vector<node_number>> own(workers);
    for (std::size_t i = 0; i < of_level[l].size(); ++i) {
      const graph_task& task = graph.tasks[of_level[l][i]];
      const std::uint64_t w = by_place ? std::uint64_t{task.home} * workers / graph.blocks
                                       : std::uint64_t{i} * workers / of_level[l].size();
      own[w].push_back(p.work(task.time, task.touched));
    }
    for (unsigned w = 0; w < workers; ++w) {
      tasks.push_back(own[w].empty() ? p.work(0) : p.series(own[w]));
      for (unsigned before = 0; l > 0 && before < workers; ++before)
        edges.push_back({(l - 1) * workers + before, l * workers + w});
      tasks.back() = p.colored(tasks.back(), w);
    }
  }
  p.set_root(p.graph(tasks, edges));
  // Branches of a graph are named by its name, which is that of the root, and their numbers.
  for (std::uint32_t l = 0; l < levels; ++l)
    for (unsigned w = 0; w < workers; ++w)
      plan.steals.push_back({.branch = name_of_branch(0, std::uint64_t{l} * workers + w), .worker = w});
  const std::vector<std::uint32_t> homes = homes_of(graph, workers, workers_per_node);
  options how{.workers = workers,
              .by = steal::fence,
              .follow = replay::strict_unordered,
              .schedule = &plan,
              .homes = &homes};
  return seconds(simulate(p, eighty(), how).makespan);
}

const std::vector<task_graph>& all_graphs() {
  static const std::vector<task_graph> all = [] {
    std::vector<task_graph> graphs = graphs_of_002();
    for (task_graph& g : graphs) give_times(g, run(g, 1, coloring::none).seconds);
    return graphs;
  }();
  return all;
}

json figure_6() {
  json all{{"machine", "8x10"}, {"seed", 1}};
  for (const task_graph& g : all_graphs()) {
    fmt::print(stderr, "{}\n", g.name);
    json& here = all["programs"][g.name];
    const double serial = run(g, 1, coloring::none).seconds;
    for (const unsigned workers : counts) {
      const std::string w = std::to_string(workers);
      here["nabbit"][w] = rounded(serial / run(g, workers, coloring::none).seconds);
      here["nabbitc"][w] = rounded(serial / run(g, workers, coloring::by_data).seconds);
      here["colors are nodes"][w] =
          rounded(serial / run(g, workers, coloring::by_data, colors_are::nodes).seconds);
      here["OpenMP static"][w] = rounded(serial / static_seconds(g, workers));
    }
  }
  return all;
}

// The share that is remote if each task runs on the node of its own data: the other accesses are to data of other nodes.
double remote_at_best(const task_graph& graph, unsigned workers) {
  const std::vector<std::uint32_t> homes = homes_of(graph, workers, workers_per_node);
  std::uint64_t remote = 0;
  std::uint64_t all = 0;
  for (const graph_task& task : graph.tasks) {
    for (const touch& t : task.touched) {
      remote += homes[t.block] != homes[task.home];
      ++all;
    }
  }
  return static_cast<double>(remote) / static_cast<double>(all);
}

json figure_7() {
  json all{{"machine", "8x10"}, {"seed", 1}};
  for (const task_graph& g : all_graphs()) {
    for (const unsigned workers : {20U, 40U, 60U, 80U}) {
      const std::string w = std::to_string(workers);
      all["programs"][g.name]["nabbit"][w] = rounded(run(g, workers, coloring::none).remote_share);
      all["programs"][g.name]["nabbitc"][w] = rounded(run(g, workers, coloring::by_data).remote_share);
      all["programs"][g.name]["colors are nodes"][w] =
          rounded(run(g, workers, coloring::by_data, colors_are::nodes).remote_share);
      all["programs"][g.name]["own node"][w] = rounded(remote_at_best(g, workers));
    }
  }
  return all;
}

json figure_8() {
  json all{{"machine", "8x10"}, {"seed", 1}};
  for (const task_graph& g : all_graphs()) {
    for (const unsigned workers : {20U, 40U, 60U, 80U}) {
      const std::string w = std::to_string(workers);
      all["steals"][g.name]["nabbit"][w] = run(g, workers, coloring::none).steals;
      all["steals"][g.name]["nabbitc"][w] = run(g, workers, coloring::by_data).steals;
    }
  }
  return all;
}

json figure_9() {
  json all{{"machine", "8x10"}, {"seed", 1}};
  for (const task_graph& g : all_graphs()) {
    if (g.name != "heat") continue;
    for (const unsigned workers : {10U, 20U, 40U, 60U, 80U}) {
      const std::string w = std::to_string(workers);
      all["us"]["nabbit"][w] =
          rounded(run(g, workers, coloring::none, colors_are::workers, true).us_to_first_work);
      all["us"]["nabbitc"][w] =
          rounded(run(g, workers, coloring::by_data, colors_are::workers, true).us_to_first_work);
    }
  }
  return all;
}

json table_2() {
  json all{{"machine", "8x10"}, {"seed", 1}};
  for (const task_graph& g : all_graphs()) {
    for (const unsigned workers : {20U, 40U, 60U, 80U}) {
      const double plain = run(g, workers, coloring::none).seconds;
      all["speedup"][g.name][std::to_string(workers)] =
          rounded(plain / run(g, workers, coloring::bad).seconds);
    }
  }
  return all;
}

// Each task is given to the worker of its data, and taken by others where that worker is late.
double replayed_seconds(const task_graph& graph, unsigned workers) {
  steal_schedule plan{.workers = workers, .steals = {}};
  for (std::size_t t = 0; t < graph.tasks.size(); ++t)
    plan.steals.push_back({.branch = name_of_branch(0, t),
                           .worker = color_of(graph, t, workers, coloring::by_data),
                           .is_task = true});
  const std::vector<std::uint32_t> homes = homes_of(graph, workers, workers_per_node);
  const options how{.workers = workers,
                    .from = victims::nearest,
                    .follow = replay::relaxed,
                    .schedule = &plan,
                    .homes = &homes};
  return seconds(simulate(graph_as(graph, workers, coloring::none), eighty(), how).makespan);
}

json combination() {
  json all{{"machine", "8x10"}, {"seed", 1}, {"cores", 80}};
  for (const task_graph& g : all_graphs()) {
    const std::map<std::string, double> theirs{{"Nabbit", run(g, 80, coloring::none).seconds},
                                               {"NabbitC", run(g, 80, coloring::by_data).seconds}};
    const auto took = [&](coloring colors, colors_are whose, steal by, victims from = victims::random) {
      return run(g, 80, colors, whose, false, by, from).seconds;
    };
    using enum colors_are;
    const std::map<std::string, double> ours{
        {"no colors, owners are asked", took(coloring::none, workers, steal::ask)},
        {"no colors, nearest victims", took(coloring::none, workers, steal::fence, victims::nearest)},
        {"colors are nodes", took(coloring::by_data, nodes, steal::fence)},
        {"colors are workers, owners are asked", took(coloring::by_data, workers, steal::ask)},
        {"relaxed replay along places", replayed_seconds(g, 80)}};
    all["programs"][g.name] = beside_the_best(g.name, theirs, ours);
  }
  return all;
}

}  // namespace

std::vector<figure> figures_of_002() {
  return {{"combination/002", combination}, {"002/figure-6", figure_6}, {"002/figure-7", figure_7},
          {"002/figure-8", figure_8},       {"002/figure-9", figure_9}, {"002/table-2", table_2}};
}

}  // namespace sennit::sim::evidence
