// SPDX-License-Identifier: Apache-2.0
// What is wrong with a program, and where.
#pragma once

#include "tools/tpal/program.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace tpal {

struct complaint {
  position at;
  std::string what;
};

// Of the assembler and the checks: all that could be told in one go, in the order of the lines.
class program_error : public std::runtime_error {
 public:
  program_error(const std::string& file, const std::vector<std::string>& lines,
                std::vector<complaint> complaints);

  const std::vector<complaint>& complaints() const noexcept { return complaints_; }

 private:
  std::vector<complaint> complaints_;
};

// Of a run: the instruction that could not be executed.
class run_error : public std::runtime_error {
 public:
  run_error(position at, const std::string& what) : std::runtime_error(what), at_(at) {}

  position at() const noexcept { return at_; }

 private:
  position at_;
};

// FILE:LINE:COLUMN: what, and below it the line with a mark under the column.
std::string show(const std::string& file, const std::vector<std::string>& lines, const complaint& c);

}  // namespace tpal
