// SPDX-License-Identifier: Apache-2.0
// C functions that a program calls, on the abstract machine.
#pragma once

#include "tools/tpal/program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tpal {

// Finds the functions that the program declares: in the shared objects, in their order, then in what the process has, which
// is the C library and its mathematics. The objects stay loaded. Throws std::invalid_argument that names the object that
// cannot be loaded, or the function that nobody has.
void find_functions(program& p, const std::vector<std::string>& objects);

// Calls a function that was found. Doubles are passed and returned as their bits. A result of a function that returns nothing means nothing.
std::int64_t call(const function& f, const std::vector<std::int64_t>& arguments);

}  // namespace tpal
