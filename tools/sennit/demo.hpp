// SPDX-License-Identifier: Apache-2.0
// `sennit demo`
#pragma once

#include "gallery/kernel.hpp"
#include "tools/sennit/measure.hpp"

#include <filesystem>
#include <memory>
#include <vector>

namespace command {

struct demo_options {
  plan measuring;
  std::filesystem::path folder;  // for pictures; empty: no pictures
};

// Returns whether all results were correct.
bool run_demo(std::vector<std::unique_ptr<gallery::kernel>> kernels, const demo_options& options);

}  // namespace command
