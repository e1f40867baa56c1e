// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpal {
std::string name_of(const token& t) {
  switch (t.is) {
    case token::kind::line_end: return "the end of the line";
    case token::kind::end: return "the end of the file";
    case token::kind::directive: return fmt::format("'.{}'", t.text);
    default: return fmt::format("'{}'", t.text);
  }
}

const token& cursor::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const token& cursor::take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
bool cursor::is(std::string_view symbol) const {
  return peek().is == token::kind::symbol && peek().text == symbol;
}
bool cursor::is_word(std::string_view word) const {
  return peek().is == token::kind::name && peek().text == word;
}
bool cursor::skip(std::string_view symbol) {
  if (!is(symbol)) return false;
  ++at_;
  return true;
}

bool cursor::at_end_of_statement() const {
  return peek().is == token::kind::line_end || peek().is == token::kind::end || is(";");
}

void cursor::complain(position at, std::string what) { complaints_.push_back({at, std::move(what)}); }
void cursor::expected(std::string_view what) {
  complain(peek().at, fmt::format("expected {}, found {}", what, name_of(peek())));
  throw unexpected{};
}

void cursor::expect(std::string_view symbol, std::string_view where) {
  if (!skip(symbol)) expected(fmt::format("'{}' {}", symbol, where));
}

}  // namespace tpal
