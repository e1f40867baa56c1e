// SPDX-License-Identifier: Apache-2.0
// Runs a program on a simulated machine, with the policies of src/policy.
#pragma once

#include "engine/options.hpp"
#include "engine/run_result.hpp"
#include "machine/machine.hpp"
#include "program/program.hpp"

namespace sennit::sim {

// The same arguments give the same result, on any machine. Takes some hundred nanoseconds a strand, and memory for the
// constructs that are open at a time. Throws std::invalid_argument if the program has no root, if there are more workers than
// cores, if a graph has a cycle, or if a schedule is to be followed and none is given.
//
// Example:
//   sennit::sim::options how;
//   how.workers = 80;
//   const sennit::sim::run_result r = simulate(program, machine, how);
//   fmt::print("{} steals, {} of the time is work\n", r.steals, r.efficiency());
run_result simulate(const program& what, const machine& on, const options& how = {});

}  // namespace sennit::sim
