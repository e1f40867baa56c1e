// SPDX-License-Identifier: Apache-2.0
// What `tpal run` prints.
#pragma once

#include "tools/tpal/data.hpp"
#include "tools/tpal/machine.hpp"

#include <string>

namespace tpal {

// A line "name = value" for each output: what .output names, else all registers that hold numbers.
std::string outputs(const image& start, const result& r);
// Work, span, tasks, promotions and beats, in a line.
std::string statistics(const result& r);

}  // namespace tpal
