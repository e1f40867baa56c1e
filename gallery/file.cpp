// SPDX-License-Identifier: Apache-2.0
#include "gallery/file.hpp"

#include "gallery/input_error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

namespace gallery {
namespace {

constexpr std::size_t largest = (std::size_t{1} << 30) - 1;

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_pointer = std::unique_ptr<std::FILE, closer>;

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

std::vector<char> read_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw input_error(fmt::format("cannot read '{}': it is a directory; name a file in it", path.string()));
  }
  const file_pointer file{std::fopen(path.c_str(), "rb")};
  if (!file) {
    throw input_error(fmt::format("cannot read '{}': {}; give a file that exists and may be read",
                                  path.string(), reason()));
  }
  std::vector<char> bytes;
  char block[1 << 16];
  for (std::size_t count = sizeof block; count == sizeof block;) {
    count = std::fread(block, 1, sizeof block, file.get());
    bytes.insert(bytes.end(), block, block + count);
    if (bytes.size() > largest) {
      throw input_error(fmt::format("'{}' has 1 GiB or more; give a smaller file", path.string()));
    }
  }
  if (std::ferror(file.get())) {
    throw input_error(
        fmt::format("cannot read '{}': {}; copy it to a readable disk", path.string(), reason()));
  }
  if (bytes.empty()) throw input_error(fmt::format("'{}' is empty; give a file with content", path.string()));
  return bytes;
}

}  // namespace gallery
