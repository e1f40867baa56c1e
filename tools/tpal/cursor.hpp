// SPDX-License-Identifier: Apache-2.0
// A place in a program's words, and what is expected there.
#pragma once

#include "tools/tpal/lexer.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tpal {

// As errors call it.
std::string name_of(const token& t);

// One statement is wrong, which was complained of: the next one may be right.
struct unexpected {};

class cursor {
 protected:
  cursor(std::string_view text, std::vector<complaint>& complaints)
      : complaints_(complaints), tokens_(tokens_of(text, complaints)) {}

  const token& peek(std::size_t ahead = 0) const;
  const token& take();
  bool is(std::string_view symbol) const;
  bool is_word(std::string_view word) const;
  // Whether the symbol was there.
  bool skip(std::string_view symbol);
  bool at_end_of_statement() const;

  void complain(position at, std::string what);
  [[noreturn]] void expected(std::string_view what);
  void expect(std::string_view symbol, std::string_view where);

  std::vector<complaint>& complaints_;
  std::vector<token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace tpal
