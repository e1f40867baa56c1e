// SPDX-License-Identifier: Apache-2.0
// Weak and strong scaling of the four programs of integrations/mpi, to 1,024 ranks.
#include "programs/ranks.hpp"

#include "evidence/evidence.hpp"

#include <array>
#include <cmath>
#include <string>

namespace sennit::sim::evidence {

namespace {

constexpr picoseconds us = 1000 * nanosecond;

// What systems cost, all of it in this place. None of it was measured for this page: "known" is the literature, from memory.
struct system_costs {
  std::string_view name;
  rank_style style;
  rank_options how;
};
constexpr picoseconds openmp_barrier =
    10 * us;  // known: 48 threads of two sockets, with their uneven arrival left out
constexpr std::array systems{
    // estimated: a node of graph::run with its strand, its steal now and then, and the search for it
    system_costs{"Sennit", rank_style::graph, {.task = us}},
    // known: some 5 us for a task with its data handles, of which the submission is 2; 0.2 us to pass over a task of other
    // ranks; 0.5 us in the lock of a central scheduler; one core for messages
    system_costs{"StarPU-MPI",
                 rank_style::tasks,
                 {.task = 3 * us,
                  .submit_own = 2 * us,
                  .submit_other = us / 5,
                  .central = us / 2,
                  .loops_in_nodes = false,
                  .progress_thread = true}},
    // estimated: what a part of a loop costs. The first thread does the messages; loops inside a phase are cut evenly.
    system_costs{"MPI + OpenMP", rank_style::phases, {.task = us / 2}},
};

struct scaled {
  std::string_view name;
  rank_graph (*make)(const rank_problem&, rank_style);
  unsigned (*strong)(unsigned ranks);
  unsigned (*weak)(unsigned ranks);
  unsigned steps;
};
// As many tiles in a row as keep a rank's part of the matrix the same.
template <unsigned Of1>
unsigned by_root(unsigned ranks) {
  return static_cast<unsigned>(std::lround(Of1 * std::sqrt(ranks)));
}
template <unsigned Of1>
unsigned by_ranks(unsigned ranks) {
  return Of1 * ranks;
}
template <unsigned All>
unsigned all(unsigned) {
  return All;
}
constexpr std::array programs{
    scaled{"cholesky", cholesky_on_ranks, all<96>, by_root<4>, 1},
    scaled{"heat", heat_on_ranks, all<12288>, by_ranks<48>, 16},
    scaled{"sw", sw_on_ranks, all<512>, by_root<16>, 1},
    scaled{"pagerank", pagerank_on_ranks, all<12288>, by_ranks<48>, 2},
};
constexpr std::array counts{1U, 4U, 16U, 64U, 256U, 1024U};

json projected(const std::string& name) {
  const machine on = find_machine(name);
  json made{{"machine", name}};
  for (const scaled& p : programs) {
    for (const bool weak : {false, true}) {
      for (const system_costs& s : systems) {
        json& to = made[weak ? "weak" : "strong"][p.name][s.name];
        for (const unsigned ranks : counts) {
          machine m = on;
          m.network.ranks = ranks;
          const rank_problem problem{ranks, on.where.cores(), weak ? p.weak(ranks) : p.strong(ranks), p.steps,
                                     openmp_barrier};
          const rank_result r = simulate(p.make(problem, s.style), m, s.how);
          to[std::to_string(ranks)] = {rounded(seconds(r.makespan) * 1e3), r.messages};
        }
      }
    }
  }
  return made;
}

json over_100g() { return projected("cluster-100g"); }
json over_10g() { return projected("cluster-10g"); }

}  // namespace

std::vector<figure> figures_of_ranks() { return {{"ranks/100g", over_100g}, {"ranks/10g", over_10g}}; }

}  // namespace sennit::sim::evidence
