// SPDX-License-Identifier: Apache-2.0
// Reads x86-64 assembly (AT&T syntax) as the GNU assembler does, and cuts it into statements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rollforward {

enum class statement_kind {
  label,        // name
  directive,    // name (with its dot) and operands
  instruction,  // name is the mnemonic; prefixes are separate
  assignment,   // name = operands[0]
  marker,  // a promotion point: the label of its statements, its line in the source or nothing, its kind or nothing
};

struct statement {
  statement_kind kind;
  std::size_t line;   // from 1
  std::size_t begin;  // its place in the text: [begin, end), without comments
  std::size_t end;
  std::string prefixes;  // of an instruction: lock, rep, notrack, for example
  std::string name;
  std::vector<std::string> operands;  // separated at commas outside brackets and strings
};

// What SENNIT_PROMOTION_POINT writes into the text, as a comment: this word, a label and a line.
inline constexpr std::string_view marker_word = "sennit_promotion_point";

// The undefined symbol of SENNIT_PROMOTION_POINT, for which files do not link that are not rolled forward.
inline constexpr std::string_view refusal_symbol =
    "promotion_points_are_not_rolled_forward__use_sennit_rollforward_or_define_SENNIT_NO_PROMOTION_POINTS";

// The kind of a promotion point that follows a latent call.
inline constexpr std::string_view behind_latent_call = "behind_latent_call";

// Throws `fault` for a string or a comment without an end.
std::vector<statement> lex(std::string_view text);

// Whether a symbol may begin with the character, or contain it.
bool is_symbol_start(char c) noexcept;
bool is_symbol_part(char c) noexcept;

// Replaces each symbol in an expression or operand by the result of `replace`. Registers, numbers, strings,
// and the word after an @ are no symbols.
template <class Replace>
std::string with_symbols(std::string_view text, Replace&& replace);

}  // namespace rollforward

template <class Replace>
std::string rollforward::with_symbols(std::string_view text, Replace&& replace) {
  std::string out;
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t begin = i++;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      i = std::min(text.size(), i + 1);
      out += text.substr(begin, i - begin);
    } else if (c == '%' || c == '@' || (c >= '0' && c <= '9')) {
      const std::size_t begin = i++;
      while (i < text.size() && is_symbol_part(text[i])) ++i;
      out += text.substr(begin, i - begin);
    } else if (c == '$') {  // an immediate: a symbol may follow
      out += c;
      ++i;
    } else if (is_symbol_start(c)) {
      const std::size_t begin = i++;
      while (i < text.size() && is_symbol_part(text[i])) ++i;
      out += replace(text.substr(begin, i - begin));
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}
