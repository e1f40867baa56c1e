// SPDX-License-Identifier: Apache-2.0
// Columns of text, and numbers in a form for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace command {

class table {
 public:
  enum alignment { left, right };

  table(std::vector<std::string> head, std::vector<alignment> alignments);
  void add(std::vector<std::string> row);
  std::string str() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<alignment> alignments_;
};

// With three significant digits and a suitable unit: 1.23 s, 45.6 ms, 789 us.
std::string show_seconds(double seconds);
// With a comma after every three digits.
std::string show_count(std::uint64_t count);
// With three significant digits: 640 B, 1.5 KiB, 26.2 MiB.
std::string show_bytes(std::uint64_t bytes);
std::string show_mib(std::optional<double> mib);

}  // namespace command
