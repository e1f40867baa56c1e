// SPDX-License-Identifier: Apache-2.0
// What a program computes, as text of C++.
#pragma once

#include "tools/tpal/label_numbers.hpp"
#include "tools/tpal/program.hpp"
#include "tools/tpal/register_types.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tpal {

std::string number_of_cpp(std::int64_t n);
std::string string_of_cpp(std::string_view text);

// Registers are variables: doubles, or numbers of 64 bits. Debuggers show them, `r_` before their names.
class expressions {
 public:
  explicit expressions(const program& p);

  const std::string& variable(std::size_t reg) const { return variables_[reg]; }
  bool holds_doubles(std::size_t reg) const { return kinds_.holds_doubles(reg); }
  bool is_double(const operand& v) const;
  const label_numbers& labels() const { return labels_; }

  // As a number, which has a double's bits.
  std::string value(const operand& v) const;
  // As a double.
  std::string floating(const operand& v) const;

  // Statements. To the target, from a number or from a double:
  std::string set(std::size_t target, const std::string& from, bool from_double) const;
  std::string move(const instruction& i) const;
  std::string compute(const instruction& i) const;
  std::string call(const instruction& i) const;

 private:
  std::string as_it_is(const operand& v) const;
  std::string compute_doubles(const instruction& i) const;

  const program& program_;
  const std::vector<std::string> variables_;
  const kinds kinds_;
  const label_numbers labels_;
};

}  // namespace tpal
