// `sennit run KERNEL`
#pragma once

#include "gallery/kernel.hpp"
#include "tools/sennit/measure.hpp"

#include <filesystem>
#include <string>

namespace command {

struct run_options {
  plan measuring;
  std::filesystem::path input;  // empty: the bundled one
  // Files to write; empty: none.
  std::string output{};
  std::string json{};
  std::string record{};       // of a run's schedule
  std::string trace{};        // of the same run's events
  std::string trace_graph{};  // of another run's graph
  std::string splice{};       // of another run's splice
};

// Whether all results were right.
bool run_kernel(gallery::kernel& kernel, const run_options& options);

}  // namespace command
