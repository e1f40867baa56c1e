// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tpal {

bool is_reserved(std::string_view word) {
  static constexpr std::array<std::string_view, 21> words{
      "call",     "double",   "int",  "jump",   "if-jump", "halt",    "join",
      "fork",     "jralloc",  "snew", "salloc", "sfree",   "prmpush", "prmpop",
      "prmempty", "prmsplit", "mem",  "sp",     "prppt",   "jtppt",   "assoc"};
  return std::find(words.begin(), words.end(), word) != words.end() || word == "assoc-comm";
}

names::names(const std::vector<token>& tokens, std::vector<complaint>& complaints) {
  std::map<std::string, position> first;
  const auto define = [&](index& in, const token& name) {
    const auto [found, is_new] = first.try_emplace(name.text, name.at);
    if (is_new) {
      in.emplace(name.text, in.size());
    } else {
      complaints.push_back({name.at, fmt::format("'{}' is defined already, in line {}; choose another name",
                                                 name.text, found->second.line)});
    }
  };
  bool starts = true;  // a statement
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const token& t = tokens[i];
    const token& next = tokens[i + 1];
    if (starts && t.is == token::kind::name && next.is == token::kind::symbol && next.text == ":") {
      if (!is_reserved(t.text)) define(blocks_, t);
    }
    if (t.is == token::kind::directive && (t.text == "data" || t.text == "zero") &&
        next.is == token::kind::name && !is_reserved(next.text)) {
      define(data_, next);
    }
    if (t.is == token::kind::directive && t.text == "extern" && next.is == token::kind::name &&
        !is_reserved(next.text)) {
      define(functions_, next);
    }
    starts = t.is == token::kind::line_end || (t.is == token::kind::symbol && t.text == ";");
  }
}

std::size_t names::reg(const std::string& name) {
  const auto [found, is_new] = registers_.try_emplace(name, register_names_.size());
  if (is_new) register_names_.push_back(name);
  return found->second;
}

}  // namespace tpal
