// SPDX-License-Identifier: Apache-2.0
// A program as C++ sees it: a function with inputs and outputs.
#pragma once

#include "tools/tpal/program.hpp"

#include <string>
#include <vector>

namespace tpal {

// What things are called in C++: a hyphen becomes an underscore.
struct signature {
  std::string name;
  std::vector<std::string> inputs;   // of program::inputs
  std::vector<std::string> arrays;   // of program::arrays
  std::vector<std::string> outputs;  // of program::outputs
};

// Throws std::invalid_argument for a name that is a word of C++ or no identifier, and for two names that become one.
signature signature_of(const program& p, const std::string& name);

// Declares NAME_inputs, NAME_outputs and NAME() in the namespace tpal.
std::string header_of(const program& p, const signature& s);

}  // namespace tpal
