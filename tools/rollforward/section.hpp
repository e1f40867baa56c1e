// SPDX-License-Identifier: Apache-2.0
// Which section the assembler is in.
#pragma once

#include "tools/rollforward/lexer.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rollforward {

struct section {
  std::string name;
  std::string arguments;  // flags, type, group and so on as they were written, with a comma before them
  std::string group;      // signature of its COMDAT group, if it is in one

  // To go there.
  std::string directive() const { return "\t.section\t" + name + arguments + "\n"; }

  friend bool operator==(const section&, const section&) = default;
  friend auto operator<=>(const section&, const section&) = default;
};

class section_tracker {
 public:
  const section& current() const noexcept { return current_; }

  // Follows a directive whose treatment is `section`.
  void follow(const statement& s);

 private:
  void enter(section s);
  // As a section statement's operands say it; flags may have been given before.
  section named(const std::vector<std::string>& operands, std::size_t first_argument);

  section current_{".text", "", ""};
  section previous_ = current_;
  std::vector<std::pair<section, section>> stack_;  // current, previous
  std::map<std::string, section> declared_;         // the last of each name
};

}  // namespace rollforward
