// SPDX-License-Identifier: Apache-2.0
// A program as C++ that compiles to native code.
#pragma once

#include "tools/tpal/program.hpp"

#include <string>
#include <string_view>

namespace tpal {

// The runtime that the code needs, the files of native/.
extern const std::string_view native_runtime;

// One function for all tasks: registers are its variables, blocks its labels, and promotion-ready blocks begin with
// SENNIT_PROMOTION_POINT(goto handler). Throws std::invalid_argument for a program without .output.
std::string emit(const program& p);

constexpr const char* function_header = "function.hpp";
struct function_code {
  std::string header;
  std::string source;  // which includes the header as function_header
};

// A program that is a function tpal::NAME of C++. Throws as emit(), and std::invalid_argument for names that C++ cannot have.
function_code emit_function(const program& p, const std::string& name);

}  // namespace tpal
