// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace command {

table::table(std::vector<std::string> head, std::vector<alignment> alignments)
    : alignments_(std::move(alignments)) {
  add(std::move(head));
}

void table::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

std::string table::str() const {
  std::vector<std::size_t> widths(alignments_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += alignments_[i] == left ? fmt::format("{:<{}}", row[i], widths[i])
                                     : fmt::format("{:>{}}", row[i], widths[i]);
      line += "  ";
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string show_seconds(double seconds) {
  const auto digits = [](double value) { return value < 9.995 ? 2 : value < 99.95 ? 1 : 0; };
  for (const auto& [unit, size] : {std::pair{"s", 1.0}, {"ms", 1e-3}}) {
    if (seconds >= 0.9995 * size)
      return fmt::format("{:.{}f} {}", seconds / size, digits(seconds / size), unit);
  }
  return fmt::format("{:.{}f} us", seconds * 1e6, digits(seconds * 1e6));
}

std::string show_count(std::uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string show_bytes(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto n = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 999.5 would be shown as 1000, in four digits.
  for (; n >= 999.5 && unit + 1 < units.size(); ++unit) n /= 1024;
  const int digits = unit == 0 || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2;
  std::string number = fmt::format("{:.{}f}", n, digits);
  if (number.find('.') != std::string::npos) {
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
  }
  return fmt::format("{} {}", number, units[unit]);
}

std::string show_mib(std::optional<double> mib) { return mib ? fmt::format("{:.1f} MiB", *mib) : "unknown"; }

}  // namespace command
