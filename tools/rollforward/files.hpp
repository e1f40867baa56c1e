// Whole files, and errors that name them.
#pragma once

#include "tools/rollforward/fault.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace rollforward {

// Both throw std::runtime_error with the path and the system's reason.
std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view text);

// "path:line: what"
std::runtime_error located(const std::string& path, const fault& f);

}  // namespace rollforward
