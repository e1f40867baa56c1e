// Files as bytes, with errors that name the file and the remedy.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace gallery {

// The bytes of a file that must exist and have some.
std::vector<char> read_file(const std::filesystem::path& path);

// Writes the file, and the directories it is in where they are missing.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace gallery
