// Assembly as the GNU assembler reads it for x86-64 (AT&T), cut into statements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rollforward {

enum class statement_kind {
  label,        // name
  directive,    // name with its dot, operands
  instruction,  // name is the mnemonic, prefixes are apart
  assignment,   // name = operands[0]
  marker,       // a promotion point: operands[0] is where its statements are
};

struct statement {
  statement_kind kind;
  std::size_t line;   // from 1
  std::size_t begin;  // where it stands in the text: [begin, end), without comments
  std::size_t end;
  std::string prefixes;  // of an instruction: lock, rep, notrack ...
  std::string name;
  std::vector<std::string> operands;  // cut at commas outside of brackets and strings
};

// What SENNIT_PROMOTION_POINT leaves in the text, as a comment: this word and a label.
inline constexpr std::string_view marker_word = "sennit_promotion_point";

// Throws `fault` for a string or a comment that does not end.
std::vector<statement> lex(std::string_view text);

// Does a symbol begin or go on with it?
bool is_symbol_start(char c) noexcept;
bool is_symbol_part(char c) noexcept;

// Each symbol in an expression or operand replaced by what `replace` says. Registers, numbers, strings, and the
// word behind an @ are none.
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
    } else if (c == '$') {  // an immediate: what follows may be a symbol
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
