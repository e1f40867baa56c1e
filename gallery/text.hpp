// SPDX-License-Identifier: Apache-2.0
// The lines of a text file, as views, and the order in which the sorts put them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gallery {

using line = std::string_view;

// A file's text, a number of times over, and its lines without the newlines.
struct text {
  std::vector<char> bytes;
  std::vector<line> lines;

  text() = default;
  text(const std::filesystem::path& path, std::size_t copies);
  text(text&&) = default;
  text& operator=(text&&) = default;
};

// Whether the two are the same lines of the text, not just lines that read the same.
bool same_lines(const std::vector<line>& a, const std::vector<line>& b);

// What is wrong with `sorted` as the stable order of `lines`; empty if nothing is.
std::string sorting_complaint(const std::vector<line>& lines, const std::vector<line>& sorted);

// Each with its newline.
std::string joined(const std::vector<line>& lines);

}  // namespace gallery
