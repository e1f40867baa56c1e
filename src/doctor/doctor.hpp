// sennit::doctor(), for tests that bring a machine of their own.
#pragma once

#include <sennit/doctor.hpp>

#include <string>
#include <vector>

namespace sennit::detail {

// `root` comes before the paths of all files read.
std::vector<doctor_line> examine(const std::string& root = "");

}  // namespace sennit::detail
