// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/section.hpp"

#include "tools/rollforward/fault.hpp"

#include <utility>

namespace rollforward {
namespace {

std::string without_quotes(const std::string& word) {
  if (word.size() > 1 && word.front() == '"' && word.back() == '"') return word.substr(1, word.size() - 2);
  return word;
}

}  // namespace

void section_tracker::enter(section s) { previous_ = std::exchange(current_, std::move(s)); }

section section_tracker::named(const std::vector<std::string>& operands, std::size_t first_argument) {
  section s{without_quotes(operands.front()), "", ""};
  if (operands.size() <= first_argument) {
    const auto known = declared_.find(s.name);
    return known == declared_.end() ? s : known->second;
  }
  for (std::size_t i = first_argument; i < operands.size(); ++i) s.arguments += ',' + operands[i];
  // name, flags, type, [entry size,] group, comdat: the group is what G in the flags asks for.
  const std::string flags = without_quotes(operands[first_argument]);
  if (flags.find('G') != std::string::npos) {
    const std::size_t at = first_argument + 2 + (flags.find('M') != std::string::npos ? 1 : 0);
    if (at < operands.size()) s.group = without_quotes(operands[at]);
  }
  declared_[s.name] = s;
  return s;
}

void section_tracker::follow(const statement& s) {
  const auto need_name = [&] {
    if (s.operands.empty()) throw fault(s.line, s.name + " without the name of a section");
  };
  if (s.name == ".section") {
    need_name();
    enter(named(s.operands, 1));
  } else if (s.name == ".pushsection") {
    need_name();
    stack_.emplace_back(current_, previous_);
    // A number here is a subsection.
    const bool number = s.operands.size() > 1 && s.operands[1].front() >= '0' && s.operands[1].front() <= '9';
    enter(named(s.operands, number ? 2 : 1));
  } else if (s.name == ".popsection") {
    if (stack_.empty()) throw fault(s.line, ".popsection without a .pushsection before it");
    std::tie(current_, previous_) = stack_.back();
    stack_.pop_back();
  } else if (s.name == ".previous") {
    std::swap(current_, previous_);
  } else {  // .text, .data, .bss, maybe with the number of a subsection
    section plain{s.name, "", ""};
    if (!s.operands.empty() && s.operands.front() != "0") plain.arguments = ' ' + s.operands.front();
    enter(std::move(plain));
  }
}

}  // namespace rollforward
