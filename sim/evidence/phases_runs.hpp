// SPDX-License-Identifier: Apache-2.0
// Runs of programs of phases on the simulated 8 x 10 cores, for papers 000 and 004.
#pragma once

#include "evidence/evidence.hpp"
#include "programs/phases.hpp"

namespace sennit::sim::evidence {

const machine& eighty();

// What if the links carried what 004's own copy of 8 GB needs of them? By random stealing it takes 436 ms (section II): 24 GB,
// with what writes read first, seven eighths of it between eight nodes.
machine with_links(std::uint64_t megabytes_a_second);
machine links_as_copied();

// How long a step takes in the middle of a run: the initialization is simulated, and taken off.
struct timed_run {
  double step = 0;
  run_result result;
};
timed_run timed(const phased_program& what, form how, options with, unsigned steps,
                const steal_schedule* follow = nullptr, const machine& on = eighty());

// The problems of 004 with the times of strands.
std::vector<phased_program> timed_problems_of_004(unsigned steps);

// As Cilk steals: from random victims, whose owners pay for the fence.
options cilk(unsigned workers);

// As Sennit runs loops that are dealt along places, and splices by a relaxed schedule; both want a schedule to follow.
options sennit_along_places(unsigned workers);
options sennit_spliced(unsigned workers);

std::vector<std::size_t> numbers(std::size_t n);

// For each phase, the phase of the step whose schedule it follows: the one that touches most of those with as many blocks.
std::vector<std::size_t> sources(const phased_program& what, const phase_trees& trees, unsigned of_step);

// A schedule that has been followed, relaxed, and taken anew some times; with it the data have moved.
steal_schedule refined(const phased_program& what, unsigned workers, unsigned steps, unsigned rounds);

}  // namespace sennit::sim::evidence
