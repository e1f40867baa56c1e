// SPDX-License-Identifier: Apache-2.0
// The library's variables in the environment, and what is wrong with them.
#pragma once

#include <sennit/doctor.hpp>

#include <vector>

namespace sennit::detail {

// A line for each SENNIT_ variable that is set: its value, and what is wrong with that. For a variable that
// the library does not know, the line names the variable that was probably meant.
std::vector<doctor_line> examine_variables();

}  // namespace sennit::detail
