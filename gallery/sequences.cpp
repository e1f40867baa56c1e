// SPDX-License-Identifier: Apache-2.0
#include "gallery/sequences.hpp"

#include "gallery/file.hpp"
#include "gallery/input_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gallery {

sequence_pair read_fasta(const std::filesystem::path& path) {
  const std::vector<char> bytes = read_file(path);
  std::string_view rest(bytes.data(), bytes.size());
  std::vector<std::string> found;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with('>')) {
      if (found.size() == 2) break;
      found.emplace_back();
      continue;
    }
    for (const char c : line) {
      if (c == ' ' || c == '\t' || c == '\r') continue;
      const bool small = c >= 'a' && c <= 'z';
      if (found.empty() || !(small || (c >= 'A' && c <= 'Z') || c == '*' || c == '-')) {
        throw input_error(
            fmt::format("'{}', line {}: this is no FASTA file, in which a line that begins with '>' is "
                        "followed by letters",
                        path.string(), number));
      }
      found.back() += small ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  if (found.size() < 2 || found[0].empty() || found[1].empty()) {
    throw input_error(
        fmt::format("'{}' needs two sequences, each after a line that begins with '>'", path.string()));
  }
  return {std::move(found[0]), std::move(found[1])};
}

}  // namespace gallery
