// SPDX-License-Identifier: Apache-2.0
// A timeline as SVG.
#pragma once

#include "tools/tpal/timeline.hpp"

#include <cstddef>
#include <string>

namespace tpal {

constexpr std::size_t most_tasks_drawn = 1000;

// A row of bars for each task, with its beats, forks and joins; legible on light and dark grounds. `title` says what ran.
// Throws std::invalid_argument for more than most_tasks_drawn tasks.
std::string picture(const timeline& t, const std::string& title);

}  // namespace tpal
