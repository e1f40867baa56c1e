// SPDX-License-Identifier: Apache-2.0
// The labels at which a thread may arrive other than from the statement before.
#pragma once

#include "tools/rollforward/lexer.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rollforward {

class arrivals {
 public:
  explicit arrivals(const std::vector<statement>& statements);

  // Whether anything may lead to the label: a jump, a table, an exception, an address that the code computes.
  bool at(std::string_view label) const { return named_.contains(label); }
  // Whether code can have the label's address, and jump there without naming the label.
  bool by_address(std::string_view label) const { return addresses_.contains(label); }

 private:
  void note_operands(const statement& s, bool only_named);
  void note(const statement& s, bool in_exception_table);

  std::set<std::string, std::less<>> named_;
  std::set<std::string, std::less<>> addresses_;  // a part of named_
};

}  // namespace rollforward
