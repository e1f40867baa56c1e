// What the environment tells the library, and what is wrong with that.
#pragma once

#include <sennit/doctor.hpp>

#include <vector>

namespace sennit::detail {

// A line for each SENNIT_ variable that is set: its value, what is wrong with that, or that the library knows
// no such variable, with the one that is probably meant.
std::vector<doctor_line> examine_variables();

}  // namespace sennit::detail
