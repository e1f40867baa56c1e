// SPDX-License-Identifier: Apache-2.0
// What kernels have in common that put the lines of a text in order.
#pragma once

#include "gallery/kernel.hpp"
#include "gallery/text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gallery {

struct sorting_of_lines {
  std::int64_t copies = 1000;
  text input;

  std::vector<parameter> parameters() { return {{"copies", "times the text is repeated", &copies, 1, 1e6}}; }
  void choose_demo() { copies = 50; }
  void prepare(const std::filesystem::path& path) { input = text(path, static_cast<std::size_t>(copies)); }

  bool same(const std::vector<line>& a, const std::vector<line>& b) const { return same_lines(a, b); }
  std::string complaint(const std::vector<line>& result) const {
    return sorting_complaint(input.lines, result);
  }
  std::string describe(const std::vector<line>& result) const {
    return fmt::format("{} lines in order", result.size());
  }
  std::string encode(const std::vector<line>& result) const { return joined(result); }
};

}  // namespace gallery
