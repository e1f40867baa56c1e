// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/lexer.hpp"

#include "tools/rollforward/fault.hpp"

#include <algorithm>
#include <array>

namespace rollforward {
namespace {

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Removes the first word from `text` and returns it.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  std::size_t n = 0;
  while (n < text.size() && !is_space(text[n])) ++n;
  const std::string_view word = text.substr(0, n);
  text = trimmed(text.substr(n));
  return word;
}

bool is_prefix(std::string_view word) {
  constexpr std::array prefixes = std::to_array<std::string_view>({
      "lock",
      "rep",
      "repe",
      "repz",
      "repne",
      "repnz",
      "notrack",
      "data16",
      "addr32",
      "bnd",
      "rex64",
      "rex.w",
      "rex",
      "xacquire",
      "xrelease",
  });
  // {vex}, {evex}, {disp32} and similar prefixes choose an encoding.
  return std::find(prefixes.begin(), prefixes.end(), word) != prefixes.end() ||
         (word.size() > 1 && word.front() == '{' && word.back() == '}');
}

std::vector<std::string> cut_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  text = trimmed(text);
  if (text.empty()) return parts;
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  parts.emplace_back(trimmed(text.substr(begin)));
  return parts;
}

class scanner {
 public:
  explicit scanner(std::string_view text) : text_(text) {}

  std::vector<statement> run() {
    while (at_ < text_.size()) step();
    finish();
    return std::move(statements_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      finish();
      ++line_;
      ++at_;
      fresh_line_ = true;
    } else if (c == ';') {
      finish();
      ++at_;
    } else if (c == '#' || (c == '/' && fresh_line_ && peek(1) != '*')) {
      finish();
      line_comment();
    } else if (c == '/' && peek(1) == '*') {
      block_comment();
    } else if (is_space(c)) {
      if (!pending_.empty()) pending_ += c;
      ++at_;
    } else if (c == '"') {
      string();
    } else if (c == '\'') {
      character();
    } else {
      take(1);
      if (c == ':') label();
    }
  }

  char peek(std::size_t n) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }

  void take(std::size_t n) {
    if (pending_.empty()) {
      begin_ = at_;
      begin_line_ = line_;
    }
    n = std::min(n, text_.size() - at_);
    pending_ += text_.substr(at_, n);
    at_ += n;
    end_ = at_;
    fresh_line_ = false;
  }

  void line_comment() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view comment = text_.substr(at_ + 1, end - at_ - 1);
    if (take_word(comment) == marker_word) {
      const std::string_view label = take_word(comment);
      if (label.empty()) throw fault(line_, "a promotion point without a label");
      std::string_view source_line = take_word(comment);
      if (!std::all_of(source_line.begin(), source_line.end(), is_digit)) source_line = {};
      const std::string_view kind = take_word(comment);
      statements_.push_back({statement_kind::marker,
                             line_,
                             at_,
                             end,
                             "",
                             std::string(marker_word),
                             {std::string(label), std::string(source_line), std::string(kind)}});
    }
    at_ = end;
  }

  void block_comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) throw fault(line_, "a comment that begins here does not end");
    line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end + 2;
    if (!pending_.empty()) pending_ += ' ';
  }

  void string() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size() || text_[end] != '"')
      throw fault(line_, "a string that begins here does not end");
    take(end + 1 - at_);
    // A quoted name may be a label, too.
    if (peek(0) == ':' && pending_.front() == '"' && pending_.find('"', 1) == pending_.size() - 1) {
      take(1);
      label();
    }
  }

  // A character such as 'a or '\n. A closing quote is left to the operand.
  void character() { take(peek(1) == '\\' ? 3 : 2); }

  // A colon has been read. It ends a label if everything before it is one name.
  void label() {
    std::string_view name = pending_;
    name.remove_suffix(1);
    name = trimmed(name);
    const bool quoted = name.size() > 1 && name.front() == '"' && name.back() == '"';
    const bool number = !name.empty() && std::all_of(name.begin(), name.end(), is_digit);
    const bool symbol = !name.empty() && is_symbol_start(name.front()) &&
                        std::all_of(name.begin(), name.end(), is_symbol_part);
    if (!quoted && !number && !symbol) return;
    statements_.push_back({statement_kind::label, begin_line_, begin_, end_, "", std::string(name), {}});
    pending_.clear();
  }

  void finish() {
    std::string_view text = trimmed(pending_);
    if (!text.empty()) {
      statement s{statement_kind::instruction, begin_line_, begin_, end_, "", "", {}};
      std::string_view rest = text;
      std::string_view word = take_word(rest);
      if (const std::size_t equals = assignment(text); equals != std::string_view::npos) {
        s.kind = statement_kind::assignment;
        s.name = trimmed(text.substr(0, equals));
        s.operands.emplace_back(trimmed(text.substr(equals + 1)));
      } else {
        while (is_prefix(word) && !rest.empty()) {
          s.prefixes += std::string(word) + ' ';
          word = take_word(rest);
        }
        s.name = word;
        if (word.front() == '.') s.kind = statement_kind::directive;
        s.operands = cut_at_commas(rest);
      }
      statements_.push_back(std::move(s));
    }
    pending_.clear();
  }

  // The position of the = in `symbol = expression`.
  static std::size_t assignment(std::string_view text) {
    if (!is_symbol_start(text.front())) return std::string_view::npos;
    std::size_t i = 0;
    while (i < text.size() && is_symbol_part(text[i])) ++i;
    while (i < text.size() && is_space(text[i])) ++i;
    return i < text.size() && text[i] == '=' ? i : std::string_view::npos;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool fresh_line_ = true;  // this line has had only white space so far
  std::string pending_;     // the statement that is being read, without comments
  std::size_t begin_ = 0;
  std::size_t begin_line_ = 0;
  std::size_t end_ = 0;
  std::vector<statement> statements_;
};

}  // namespace

bool is_symbol_start(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_symbol_part(char c) noexcept { return is_symbol_start(c) || is_digit(c); }

std::vector<statement> lex(std::string_view text) { return scanner(text).run(); }

}  // namespace rollforward
