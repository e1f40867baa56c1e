// SPDX-License-Identifier: Apache-2.0
// Reads whole files; errors name the files.
#pragma once

#include "tools/rollforward/fault.hpp"

#include <stdexcept>
#include <string>

namespace rollforward {

// Throws std::runtime_error with the path and the system's reason.
std::string read_file(const std::string& path);

// "path:line: what"
std::runtime_error located(const std::string& path, const fault& f);

}  // namespace rollforward
