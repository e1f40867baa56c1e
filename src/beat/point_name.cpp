// SPDX-License-Identifier: Apache-2.0
#include "beat/point_name.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace sennit::detail {

namespace {

constexpr std::string_view operator_word = "operator";

// Whether the word stands there by itself.
bool is_operator(std::string_view text, std::size_t at) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const std::size_t end = at + operator_word.size();
  return text.substr(at, operator_word.size()) == operator_word && (at == 0 || !is_part(text[at - 1])) &&
         (end == text.size() || !is_part(text[end]));
}

// The end of an operator's name: its brackets are no lists.
std::size_t end_of_operator(std::string_view text, std::size_t at) {
  at += operator_word.size();
  if (text.substr(at, 2) == "()") return at + 2;
  constexpr std::string_view signs = "<>=-+*/%&|^!~,[]";
  while (at < text.size() && signs.find(text[at]) != std::string_view::npos) ++at;
  return at;
}

void remove_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.erase(at, what.size());
}

// What compilers add to the names of copies: " [clone .part.0]".
void remove_clones(std::string& text) {
  const std::size_t at = text.find(" [clone ");
  if (at != std::string::npos) text.erase(at);
}

std::string without_template_arguments(std::string_view text) {
  std::string out;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = is_operator(text, at) ? end_of_operator(text, at) : at + 1;
    if (end == at + 1 && text[at] == '>' && depth > 0) {
      --depth;
    } else if (end == at + 1 && text[at] == '<') {
      ++depth;
    } else if (depth == 0) {
      out += text.substr(at, end - at);
    }
    at = end;
  }
  return out;
}

// Only instances of templates have their result there.
std::string_view without_result(std::string_view text) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size() && text[at] != '('; ++at) {
    if (is_operator(text, at)) break;
    if (text[at] == ' ') begin = at + 1;
  }
  return text.substr(begin);
}

std::size_t find_lambda(std::string_view text, std::size_t from) {
  return std::min({text.find("::{lambda", from), text.find("::'lambda", from), text.find("::$_", from)});
}

// Where a template argument begins that goes on at `end`.
std::size_t begin_of_argument(std::string_view text, std::size_t end) {
  std::size_t depth = 0;
  while (end > 0) {
    const char c = text[end - 1];
    if (c == ')' || c == '>') ++depth;
    const bool opens = c == '(' || c == '<';
    if (depth == 0 && (opens || c == ',')) break;
    if (opens) --depth;
    --end;
  }
  while (end < text.size() && text[end] == ' ') ++end;
  return end;
}

std::string plain(std::string_view text) {
  const std::string out = without_template_arguments(text);
  return std::string(without_result(out));
}

// The function of the program's own that has the body of a library's loop, or nothing.
std::string owner_of_body(std::string_view text) {
  constexpr std::string_view own = "sennit::";
  for (std::size_t at = find_lambda(text, 0); at != std::string_view::npos; at = find_lambda(text, at + 1)) {
    const std::size_t begin = begin_of_argument(text, at);
    std::string name = plain(text.substr(begin, at - begin));
    if (!name.starts_with(own)) return name;
  }
  return {};
}

struct construct {
  std::string_view function;
  std::string_view name;
};

constexpr auto constructs = std::to_array<construct>({
    {"sennit::detail::run_latent", "latent_for"},
    {"sennit::detail::reduce_latent", "latent_reduce"},
});

point_name name_of(std::string text, std::uint32_t line) {
  remove_clones(text);
  remove_all(text, "(anonymous namespace)::");
  std::string name = plain(text);
  for (const construct& each : constructs) {
    if (!name.starts_with(each.function)) continue;
    const std::string owner = owner_of_body(text);
    return {std::string(each.name) + (owner.empty() ? "" : " in " + owner), 0};
  }
  const std::size_t lambda = find_lambda(name, 0);
  return {lambda == std::string::npos ? name : "a lambda in " + name.substr(0, lambda), line};
}

}  // namespace

point_name name_of_point(const char* symbol, std::uint32_t line) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? name_of(readable.get(), line) : point_name{symbol, line};
}

}  // namespace sennit::detail
