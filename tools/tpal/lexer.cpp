// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/lexer.hpp"

#include "tools/tpal/doubles.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <system_error>

namespace tpal {
namespace {

// The longer ones first. The figures of Rainey et al., 2021, have the last two.
constexpr std::array<std::string_view, 41> symbols{
    "<=.", ">=.", "!=.", "+.", "-.", "*.", "/.", "<.", ">.", "=.", ":=", "->", "..",      "<<",
    ">>",  "<=",  ">=",  "!=", ":",  ";",  ",",  "[",  "]",  "{",  "}",  "+",  "-",       "*",
    "/",   "%",   "<",   ">",  "=",  "&",  "|",  "^",  "#",  ".",  "(",  ")",  "\xC2\xB7"};
constexpr std::string_view maps_to = "\xE2\x86\xA6";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class lexer {
 public:
  lexer(std::string_view text, std::vector<complaint>& complaints) : text_(text), complaints_(complaints) {}

  std::vector<token> run() {
    while (at_ < text_.size()) next();
    add(token::kind::line_end, 0, "");
    add(token::kind::end, 0, "");
    return std::move(tokens_);
  }

 private:
  position here() const { return {line_, static_cast<int>(at_ - line_start_) + 1}; }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void add(token::kind is, std::size_t length, std::string_view text) {
    tokens_.push_back({is, std::string(text), 0, here()});
    at_ += length;
  }

  void next() {
    const char c = peek();
    if (c == '\n') return end_line();
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (text_.substr(at_).starts_with("//")) {
      while (at_ < text_.size() && peek() != '\n') ++at_;
    } else if (is_letter(c)) {
      const std::size_t length = name_length(at_);
      add(token::kind::name, length, text_.substr(at_, length));
    } else if (c == '.' && is_letter(peek(1))) {
      const std::size_t length = name_length(at_ + 1);
      add(token::kind::directive, length + 1, text_.substr(at_ + 1, length));
    } else if (is_digit(c)) {
      add_number();
    } else {
      add_symbol();
    }
  }

  void end_line() {
    add(token::kind::line_end, 0, "");
    ++at_;
    ++line_;
    line_start_ = at_;
  }

  // A hyphen belongs to a name if a letter or a digit follows: loop-par, but a - 1.
  std::size_t name_length(std::size_t from) const {
    std::size_t i = from;
    const auto inside = [&](std::size_t k) {
      return k < text_.size() && (is_letter(text_[k]) || is_digit(text_[k]));
    };
    while (inside(i) || (i < text_.size() && text_[i] == '-' && inside(i + 1))) ++i;
    return i - from;
  }

  // 1.5, 1e9 or 1.5e-3: how long it is; 0 if it is none. 1..5 is a range, and 0x1e9 an integer.
  std::size_t double_length() const {
    std::size_t length = 0;
    const auto digits = [&] {
      const std::size_t first = length;
      while (is_digit(peek(length))) ++length;
      return length != first;
    };
    digits();
    bool is_double = false;
    if (peek(length) == '.' && is_digit(peek(length + 1))) {
      ++length;
      is_double = digits();
    }
    if (peek(length) == 'e' || peek(length) == 'E') {
      const bool has_sign = peek(length + 1) == '-' || peek(length + 1) == '+';
      if (!is_digit(peek(length + (has_sign ? 2 : 1)))) return 0;
      length += has_sign ? 2 : 1;
      is_double = digits();
    }
    return is_double && !is_letter(peek(length)) ? length : 0;
  }

  void add_number() {
    if (const std::size_t length = double_length(); length != 0) {
      const std::string_view word = text_.substr(at_, length);
      const std::optional<double> d = to_double(word);
      if (!d)
        complaints_.push_back({here(), fmt::format("{} is no double: it is too large or too small", word)});
      add(token::kind::floating, length, word);
      tokens_.back().number = static_cast<std::uint64_t>(bits_of(d.value_or(0)));
      return;
    }
    std::size_t length = 0;
    while (is_letter(peek(length)) || is_digit(peek(length))) ++length;
    const std::string_view word = text_.substr(at_, length);
    const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    const std::string_view digits = hexadecimal ? word.substr(2) : word;
    std::uint64_t value = 0;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    // One more than the largest, for the smallest with a minus before it.
    constexpr std::uint64_t most = std::uint64_t{1} << 63U;
    if (error == std::errc::result_out_of_range || (!hexadecimal && error == std::errc{} && value > most)) {
      complaints_.push_back({here(), fmt::format("{} does not fit into 64 bits", word)});
    } else if (error != std::errc{} || stop != digits.data() + digits.size()) {
      complaints_.push_back({here(), fmt::format("expected a number, found '{}'", word)});
    }
    add(token::kind::number, length, word);
    tokens_.back().number = value;
  }

  void add_symbol() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with(maps_to)) return add(token::kind::symbol, maps_to.size(), "->");
    for (const std::string_view s : symbols) {
      if (!rest.starts_with(s)) continue;
      return add(token::kind::symbol, s.size(), s == "\xC2\xB7" ? "." : s);
    }
    std::size_t length = 1;
    while ((static_cast<unsigned char>(peek(length)) & 0xC0U) == 0x80U) ++length;
    complaints_.push_back({here(), fmt::format("'{}' means nothing here", rest.substr(0, length))});
    at_ += length;
  }

  std::string_view text_;
  std::vector<complaint>& complaints_;
  std::vector<token> tokens_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<token> tokens_of(std::string_view text, std::vector<complaint>& complaints) {
  return lexer(text, complaints).run();
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c != '\r') {
      lines.back() += c;
    }
  }
  return lines;
}

}  // namespace tpal
