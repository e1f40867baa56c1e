// SPDX-License-Identifier: Apache-2.0
// Programs of phases over blocks of data, as papers 000 and 004 have them: trees of forks, and who is to run what.
#pragma once

#include "engine/schedule.hpp"
#include "program/program.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sennit::sim {

// What one phase does with one block.
struct block_work {
  picoseconds time = 0;  // on data that is at hand
  std::vector<touch> touched;
  // Where slices of the block end in `touched`; none: it is one strand. Slices follow one another.
  std::vector<std::uint32_t> slices{};
};

// A loop over blocks, in parallel; phases follow one another.
using phase = std::vector<block_work>;

struct phased_program {
  std::string name;
  std::vector<phase> initialize;  // touches all data first
  std::vector<phase> step;
  unsigned times = 1;         // a step has these phases so many times
  bool spliced = false;       // its phases are interleaved: calls of a splice
  double serial_seconds = 0;  // of a step, by a paper; 0: not known
};

// The problems of 004, Table I, at their sizes, without the times of strands.
std::vector<phased_program> problems_of_004();

// The stencils of these, heat and fdtd-2d, with blocks that are cut into slices of one row, such that sweeps can be spliced. A
// step is as many sweeps as 000 splices of such programs.
std::vector<phased_program> sliced_problems_of_004();

// Gives strands their times, in proportion to the bytes that they touch: such that a step of the program takes `seconds` if its
// touches alone take `memory`. If no seconds are known, a strand takes a third of what its touches take.
void give_times(phased_program& what, double memory, double seconds);

// The problems of 000, Table 1, at their sizes; a step of these is as many as the paper splices. Blocks are cut into slices of
// rows or planes (000, section 7, "Step pipelining"), each of which needs its neighbors. Without the times of strands, and not
// spliced. `finer`: blocks are so many times smaller.
std::vector<phased_program> problems_of_000(unsigned finer = 1);

// How many blocks each phase has, in the order in which they run; the phases of a splice are one. Trees have a part for each
// worker at their top, and halves below.
struct phase_trees {
  std::vector<std::size_t> blocks;
  unsigned workers = 1;
};

// The initialization and then so many steps.
phase_trees trees_of(const phased_program& what, unsigned steps, unsigned workers);

enum class form : std::uint8_t { forks, loops };

// The initialization and so many steps as a program, each phase a tree of forks or a loop. Steps that are spliced are splices of
// such trees.
program phases_as(const phased_program& what, unsigned steps, unsigned workers, form how);

// Worker w runs the w-th part of each phase whose number is in `of`, by place; of the others nothing is said.
steal_schedule designed(const phase_trees& trees, std::span<const std::size_t> of);

// Only that worker 0 begins each phase, as the schedules below have it.
steal_schedule begun(const phase_trees& trees);

// Each phase by the schedule of the phase source[phase], which has as many blocks, in a run of a program with the same trees.
steal_schedule copied(const steal_schedule& taken, const phase_trees& trees,
                      std::span<const std::size_t> source);

// Without the steals that lie deepest in the trees: of n steals of a phase the first keep * n, level by level, stay (004, VI).
steal_schedule pruned(const steal_schedule& taken, const phase_trees& trees, double keep);

// Of the phase: how many blocks each steal got, without those that were stolen from it.
std::vector<std::uint64_t> grains(const steal_schedule& taken, const phase_trees& trees, std::size_t which);

}  // namespace sennit::sim
