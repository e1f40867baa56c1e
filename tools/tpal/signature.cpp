// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/signature.hpp"

#include "tools/tpal/doubles.hpp"
#include "tools/tpal/register_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <stdexcept>
#include <string_view>

namespace tpal {
namespace {

constexpr std::array<std::string_view, 92> keywords{
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq"};

std::string identifier(const std::string& name, std::string_view remedy) {
  std::string word = name;
  std::replace(word.begin(), word.end(), '-', '_');
  const auto inside = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool is_word =
      !word.empty() && !(word[0] >= '0' && word[0] <= '9') && std::all_of(word.begin(), word.end(), inside);
  if (!is_word || std::find(keywords.begin(), keywords.end(), word) != keywords.end()) {
    throw std::invalid_argument(fmt::format("'{}' cannot be a name in C++; {}", name, remedy));
  }
  return word;
}

// Names the members of one structure.
class members {
 public:
  explicit members(const program& p) : program_(p) {}

  std::string add(const std::string& name) {
    std::string word = identifier(name, fmt::format("give it another one in {}", program_.file));
    if (!words_.insert(word).second) {
      throw std::invalid_argument(fmt::format(
          "two names of {} would be '{}' in C++; give one of them another name", program_.file, word));
    }
    return word;
  }

 private:
  const program& program_;
  std::set<std::string> words_;
};

std::string_view name_of(type t) { return t == type::floating ? "double" : "std::int64_t"; }

std::string literal(std::int64_t n, type of) {
  if (of == type::floating) return in_decimal(double_of(n));
  return n == std::numeric_limits<std::int64_t>::min() ? std::string("INT64_MIN") : fmt::format("{}", n);
}

}  // namespace

signature signature_of(const program& p, const std::string& name) {
  signature s;
  s.name = identifier(name, "say another one by --function");
  members in(p);
  for (const input& i : p.inputs) s.inputs.push_back(in.add(p.registers[i.target]));
  for (const data& d : p.arrays) s.arrays.push_back(d.zeros.empty() ? in.add(d.name) : std::string());
  members out(p);
  for (const operand& v : p.outputs) {
    const auto which = static_cast<std::size_t>(v.value);
    s.outputs.push_back(out.add(v.is == operand::kind::reg ? p.registers[which] : p.arrays[which].name));
  }
  return s;
}

std::string header_of(const program& p, const signature& s) {
  std::string text =
      fmt::format("// Written by 'tpal build --object' from {}.\n#pragma once\n\n"
                  "#include <cstdint>\n#include <optional>\n#include <span>\n#include <vector>\n\n"
                  "namespace tpal {{\n\nstruct {}_inputs {{\n",
                  p.file, s.name);
  for (std::size_t i = 0; i < p.inputs.size(); ++i) {
    const std::optional<std::int64_t> otherwise = p.inputs[i].otherwise;
    text += fmt::format("  {} {}{};\n", name_of(p.inputs[i].of), s.inputs[i],
                        otherwise ? " = " + literal(*otherwise, p.inputs[i].of) : std::string());
  }
  for (std::size_t i = 0; i < s.arrays.size(); ++i) {
    if (s.arrays[i].empty()) continue;
    text += fmt::format("  std::optional<std::span<const {}>> {} = {{}};  // else as in the program\n",
                        name_of(p.arrays[i].of), s.arrays[i]);
  }
  const kinds known(p);
  text += fmt::format("}};\n\nstruct {}_outputs {{\n", s.name);
  for (std::size_t i = 0; i < p.outputs.size(); ++i) {
    const auto which = static_cast<std::size_t>(p.outputs[i].value);
    if (p.outputs[i].is == operand::kind::reg) {
      const type of = known.holds_doubles(which) ? type::floating : type::integer;
      text += fmt::format("  {} {}{{}};\n", name_of(of), s.outputs[i]);
    } else {
      text += fmt::format("  std::vector<{}> {};\n", name_of(p.arrays[which].of), s.outputs[i]);
    }
  }
  return text + fmt::format("}};\n\n"
                            "// Runs the program in the caller's runtime, or else in the default runtime. "
                            "Throws std::runtime_error\n"
                            "// that names the program's line.\n"
                            "{0}_outputs {0}(const {0}_inputs& in);\n\n}}  // namespace tpal\n",
                            s.name);
}

}  // namespace tpal
