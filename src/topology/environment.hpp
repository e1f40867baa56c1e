// The variables by which a user tells the library what to do.
#pragma once

#include <sennit/doctor.hpp>

#include <vector>

namespace sennit::topology {

// A line for each SENNIT_ variable that is set: its value, what is wrong with that,
// or that the library knows no such variable, with the one that is probably meant.
std::vector<doctor_line> examine_environment();

// Says on stderr, once in a process, which of them the library does not know.
void name_unknown_variables() noexcept;

}  // namespace sennit::topology
