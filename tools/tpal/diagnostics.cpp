// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tpal {
namespace {

constexpr std::size_t most_shown = 20;

// Those of one place as they were found. (clang finds the memory that std::stable_sort takes deprecated.)
std::vector<complaint> in_order(std::vector<complaint> all) {
  const auto is_before = [](const position& a, const position& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  };
  std::multimap<position, complaint, decltype(is_before)> sorted(is_before);
  for (complaint& c : all) sorted.emplace(c.at, std::move(c));
  all.clear();
  for (auto& [at, c] : sorted) all.push_back(std::move(c));
  return all;
}

std::string show_all(const std::string& file, const std::vector<std::string>& lines,
                     const std::vector<complaint>& complaints) {
  std::string text;
  for (std::size_t i = 0; i < std::min(complaints.size(), most_shown); ++i) {
    text += show(file, lines, complaints[i]);
  }
  if (complaints.size() > most_shown) text += fmt::format("and {} more\n", complaints.size() - most_shown);
  return text;
}

}  // namespace

std::string show(const std::string& file, const std::vector<std::string>& lines, const complaint& c) {
  std::string text = fmt::format("{}:{}:{}: error: {}\n", file, c.at.line, c.at.column, c.what);
  const auto row = static_cast<std::size_t>(c.at.line);
  if (row == 0 || row > lines.size()) return text;
  const std::string& line = lines[row - 1];
  std::string before;
  for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(c.at.column) && i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    // The following bytes of a character of several take no room.
    if ((byte & 0xC0U) != 0x80U) before += byte == '\t' ? '\t' : ' ';
  }
  return text + fmt::format("  {}\n  {}^\n", line, before);
}

program_error::program_error(const std::string& file, const std::vector<std::string>& lines,
                             std::vector<complaint> complaints)
    : std::runtime_error(show_all(file, lines, in_order(complaints))),
      complaints_(in_order(std::move(complaints))) {}

}  // namespace tpal
