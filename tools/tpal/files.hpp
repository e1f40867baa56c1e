// SPDX-License-Identifier: Apache-2.0
// What is read from files: programs and data.
#pragma once

#include <string>

namespace tpal {

// All of the file. Throws std::runtime_error with the path and the system's reason.
std::string contents(const std::string& path);

}  // namespace tpal
