// SPDX-License-Identifier: Apache-2.0
// The machine that this program runs on, as the simulator has machines.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace command {

// The text of a machine file, with comments that say how each value was found. Measures for about so many seconds, and reports
// each step before it begins.
std::string measured_machine(double seconds, const std::function<void(std::string_view)>& progress);

}  // namespace command
