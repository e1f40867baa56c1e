// SPDX-License-Identifier: Apache-2.0
// Input files as bytes, with errors that name the file and the remedy.
#pragma once

#include <filesystem>
#include <vector>

namespace gallery {

// The bytes of a file that must exist and have some.
std::vector<char> read_file(const std::filesystem::path& path);

}  // namespace gallery
