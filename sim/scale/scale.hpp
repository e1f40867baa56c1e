// SPDX-License-Identifier: Apache-2.0
// How a program scales, and which of its constructs limit that: work, span, burdened span, and what would change if a construct
// were otherwise.
#pragma once

#include "program/program.hpp"
#include "time/picoseconds.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace sennit::sim {

struct fork_costs {
  picoseconds fork = 0;    // of its own worker
  picoseconds burden = 0;  // if another worker takes a branch: the steal, and what comes with it
};

struct work_and_span {
  picoseconds work = 0;
  picoseconds span = 0;

  double parallelism() const noexcept {
    return span == 0 ? 1 : static_cast<double>(work) / static_cast<double>(span);
  }
  bool operator==(const work_and_span&) const = default;
};

// All that the program has at one site: constructs, or a named section.
struct construct {
  std::uint32_t site = 0;
  part what = part::work;   // series: a region, or a section; work: strands without a construct of that site
  std::uint64_t count = 0;  // of constructs
  picoseconds strands = 0;  // work directly in it, without the constructs in it
  work_and_span all;        // with what is in it; of constructs of a site in each other, the outermost count
  double on_path = 0;       // picoseconds of its strands on the critical path
  double burden = 0;        // picoseconds of its forks on the critical path of the burdened span
  // The whole program's, if the construct's strands took half the time, or could be spread over any number of workers.
  // Empty: they are next to nothing of the critical path.
  std::optional<work_and_span> twice_as_fast;
  std::optional<work_and_span> parallel;
};

struct scalability {
  work_and_span all;
  picoseconds burdened_span = 0;
  fork_costs costs;
  // With the greatest share of the critical path first, then by work.
  std::vector<construct> constructs;

  double burdened_parallelism() const noexcept {
    return work_and_span{all.work, burdened_span}.parallelism();
  }
  // No machine is faster: T1 / P and the span bound the time.
  double most_speedup(double workers) const noexcept;
  // What Cilkview expects of a work-stealing scheduler at least: T1 / (T1 / P + 1.7 (1 - 1 / P) burdened span).
  double least_speedup(double workers) const noexcept;
};

// Pure. Takes some hundred nanoseconds a node, and again a tenth of that for each question: at most 12 constructs are asked
// about. Deterministic. Throws std::invalid_argument if a graph has a cycle.
//
// Example:
//   const sennit::sim::scalability s = scale(program, {.fork = 2 * nanosecond, .burden = 2000 * nanosecond});
//   fmt::print("at most {} times as fast on 80 cores\n", s.most_speedup(80));
scalability scale(const program& of, const fork_costs& costs);

}  // namespace sennit::sim
