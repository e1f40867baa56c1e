// SPDX-License-Identifier: Apache-2.0
#include "gallery/text.hpp"

#include "gallery/file.hpp"
#include "gallery/input_error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gallery {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::size_t most_lines = std::size_t{1} << 25;

}  // namespace

text::text(const std::filesystem::path& path, std::size_t copies) {
  std::vector<char> once = read_file(path);
  if (once.back() != '\n') once.push_back('\n');
  const auto lines_once = static_cast<std::size_t>(std::count(once.begin(), once.end(), '\n'));
  const std::size_t most_copies = std::min(most_bytes / once.size(), most_lines / lines_once);
  if (most_copies == 0) {
    throw input_error(
        fmt::format("'{}' has {} lines; give a text of at most {}", path.string(), lines_once, most_lines));
  }
  if (copies > most_copies) {
    throw input_error(fmt::format("{} copies of '{}' are too much to sort; ask for at most {}", copies,
                                  path.string(), most_copies));
  }
  bytes.reserve(once.size() * copies);
  for (std::size_t i = 0; i < copies; ++i) bytes.insert(bytes.end(), once.begin(), once.end());

  lines.reserve(lines_once * copies);
  for (auto begin = bytes.begin(); begin != bytes.end();) {
    const auto end = std::find(begin, bytes.end(), '\n');
    lines.emplace_back(begin, end);
    begin = end + 1;
  }
}

bool same_lines(const std::vector<line>& a, const std::vector<line>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](line x, line y) { return x.data() == y.data() && x.size() == y.size(); });
}

std::string sorting_complaint(const std::vector<line>& lines, const std::vector<line>& sorted) {
  if (lines.size() != sorted.size()) return fmt::format("{} lines became {}", lines.size(), sorted.size());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] < sorted[i - 1])
      return fmt::format("line {} of the result belongs before the one above it", i + 1);
    if (sorted[i] == sorted[i - 1] && sorted[i].data() <= sorted[i - 1].data()) {
      return fmt::format(
          "line {} of the result equals the one above it but did not come after it in the text", i + 1);
    }
  }
  // Strictly increasing and as many, so a line that is not one of the text's is all that can still be wrong.
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto origin = std::lower_bound(lines.begin(), lines.end(), sorted[i].data(),
                                         [](line l, const char* position) { return l.data() < position; });
    if (origin == lines.end() || origin->data() != sorted[i].data() || origin->size() != sorted[i].size()) {
      return fmt::format("line {} of the result is no line of the text", i + 1);
    }
  }
  return {};
}

std::string joined(const std::vector<line>& lines) {
  std::string all;
  for (const line l : lines) {
    all += l;
    all += '\n';
  }
  return all;
}

}  // namespace gallery
