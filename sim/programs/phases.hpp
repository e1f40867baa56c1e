// Programs of phases over blocks of data, as papers 000 and 004 have them: trees of forks, and who is to run what.
#pragma once

#include "engine/schedule.hpp"
#include "program/program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sennit::sim {

// What one phase does with one block.
struct block_work {
  picoseconds time = 0;  // on data that is at hand
  std::vector<touch> touched;
};

// A loop over blocks, in parallel; phases follow one another.
using phase = std::vector<block_work>;

struct phased_program {
  std::string name;
  std::vector<phase> initialize;  // touches all data first, in parallel
  std::vector<phase> step;
  double serial_seconds = 0;  // of a step, by the paper; 0: not known
};

// The problems of 004, Table I, at their sizes. Where a paper has a serial time, the strands' times are such that a step takes it
// on one core of the machine, with the memory's time; elsewhere a strand takes a third of its memory's time.
std::vector<phased_program> programs_of_004();

// How the phases are made into a program: each as a tree of forks, or as a loop.
enum class form : std::uint8_t { forks, loops };

// `steps` steps, after the initialization if `first` says so.
// A tree of forks has a part for each of `workers` at its top, and halves below.
program phases_as(const phased_program& what, unsigned steps, unsigned workers, form how, bool first);

// Worker w runs the w-th part of each phase, of equal numbers of blocks. For form::forks, made for as many workers.
steal_schedule designed(const phased_program& what, unsigned steps, unsigned workers, bool first);

// The schedule of the step number `from` for all steps: phases that have as many blocks have the same trees. `taken` is of a run
// of the same form, workers and `first`.
steal_schedule repeated(const steal_schedule& taken, const phased_program& what, unsigned from, unsigned steps,
                        unsigned workers, bool first);

// The schedule of one phase of step `from` for all phases of the program, as far as they have the same tree.
steal_schedule of_phase(const steal_schedule& taken, const phased_program& what, std::size_t which,
                        unsigned steps, unsigned workers, bool first);

// Where the blocks lie if worker w has initialized the w-th part of each phase: with workers in order on `nodes` nodes.
std::vector<std::uint32_t> homes_of(const program& p, const std::vector<unsigned>& worker_of_block,
                                    unsigned workers);

// Sizes of what the workers of a schedule got, in blocks, for the phase.
std::vector<std::uint64_t> grains(const steal_schedule& taken, const phased_program& what, std::size_t which,
                                  unsigned workers, bool first);

// Without the steals that lie deepest in the tree of each phase: `keep` of 1 stay (004, VI).
steal_schedule pruned(const steal_schedule& taken, const phased_program& what, unsigned steps, unsigned workers,
                      bool first, double keep);

}  // namespace sennit::sim
