// SPDX-License-Identifier: Apache-2.0
// Programs given as text, translated.
#pragma once

#include "tools/splicec/translate.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace splicec_tests {

inline splicec::translation translated(std::string text, const std::string& path = "program.c") {
  const std::vector<std::string> arguments{path.ends_with(".c") ? "-std=gnu17" : "-std=c++20"};
  return splicec::translate(path, arguments, &text);
}

inline std::vector<std::string> messages(const splicec::translation& t) {
  std::vector<std::string> result;
  for (const splicec::message& m : t.messages) result.push_back(to_string(m));
  return result;
}

// The line of what was made that stands for a line of the program.
inline std::string line_of(const splicec::translation& t, int number) {
  const std::string mark = "#line 1 \"";
  std::size_t at = t.text.find('\n', t.text.find(mark)) + 1;
  for (int i = 1; i < number; ++i) at = t.text.find('\n', at) + 1;
  return t.text.substr(at, t.text.find('\n', at) - at);
}

}  // namespace splicec_tests
