// `sennit run KERNEL`
#pragma once

#include "gallery/kernel.hpp"
#include "tools/sennit/measure.hpp"

#include <filesystem>

namespace command {

struct run_options {
  plan measuring;
  std::filesystem::path input;        // empty: the bundled one
  std::filesystem::path output;       // empty: write none
  std::filesystem::path json;         // empty: write none
  std::filesystem::path record;       // of a run's schedule; empty: write none
  std::filesystem::path trace;        // of the same run's events; empty: write none
  std::filesystem::path trace_graph;  // of another run's graph; empty: write none
  std::filesystem::path splice;       // of another run's splice; empty: write none
};

// Whether all results were right.
bool run_kernel(gallery::kernel& kernel, const run_options& options);

}  // namespace command
