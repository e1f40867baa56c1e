// SPDX-License-Identifier: Apache-2.0
// `sennit run KERNEL`
#pragma once

#include "gallery/kernel.hpp"
#include "tools/sennit/measure.hpp"

#include <filesystem>
#include <string>

namespace command {

struct run_options {
  plan measuring;
  std::filesystem::path input;  // empty: the bundled input
  // Files to write; empty: none.
  std::string output{};
  std::string json{};
  std::string record{};        // for the schedule of a run
  std::string replay{};        // the schedule to follow; empty: none
  std::string trace_events{};  // for the events of that run
  std::string trace_graph{};   // for the graph of another run
  std::string splice{};        // for the splice of another run
};

// Returns whether all results were correct.
bool run_kernel(gallery::kernel& kernel, const run_options& options);

}  // namespace command
