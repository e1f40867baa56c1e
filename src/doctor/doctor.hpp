// SPDX-License-Identifier: Apache-2.0
// sennit::doctor(), for tests that provide the files of another machine.
#pragma once

#include <sennit/doctor.hpp>

#include <string>
#include <vector>

namespace sennit::detail {

// `root` is put before the paths of all files.
std::vector<doctor_line> examine(const std::string& root = "");

}  // namespace sennit::detail
