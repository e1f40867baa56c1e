// SPDX-License-Identifier: Apache-2.0
// A program's text as words.
#pragma once

#include "tools/tpal/diagnostics.hpp"
#include "tools/tpal/program.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tpal {

struct token {
  enum class kind { name, number, floating, directive, symbol, line_end, end };

  kind is = kind::end;
  std::string text;          // of a directive without its dot
  std::uint64_t number = 0;  // or the bits of the double
  position at = {};
};

// The last token is an end. What is no token is complained of and skipped.
std::vector<token> tokens_of(std::string_view text, std::vector<complaint>& complaints);

std::vector<std::string> lines_of(std::string_view text);

}  // namespace tpal
