// SPDX-License-Identifier: Apache-2.0
// `sennit sim PROGRAM.trace --machine 8x10`
#pragma once

#include "engine/options.hpp"
#include "engine/run_result.hpp"
#include "tools/sennit/program_trace.hpp"

#include <string>
#include <vector>

namespace command {

struct simulate_options {
  std::string file;
  std::vector<std::string> machines;
  sennit::sim::options engine;
  bool compare = false;  // with other policies
  // Files to write; empty: none.
  std::string trace_events{};
  std::string json{};
  std::string html{};
};

void simulate_program(const simulate_options& options);

// One run, by the name of its machine or of what is other than in the first run.
struct simulated_run {
  std::string machine;
  std::string policy;
  sennit::sim::picoseconds alone = 0;  // on one worker of that machine
  sennit::sim::run_result result;
  double speedup() const {
    return result.makespan == 0 ? 1 : static_cast<double>(alone) / static_cast<double>(result.makespan);
  }
};

std::string text(const std::vector<simulated_run>& runs, const program_trace& t, const std::string& name);
std::string json_of(const std::vector<simulated_run>& runs, const program_trace& t, const std::string& name);

}  // namespace command
