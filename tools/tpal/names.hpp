// SPDX-License-Identifier: Apache-2.0
// What the names of a program stand for.
#pragma once

#include "tools/tpal/lexer.hpp"
#include "tools/tpal/program.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpal {

// Words that no label, register or data can have for a name.
bool is_reserved(std::string_view word);

// Labels, data and functions are known before anything that names them is read, since both may be named before they are defined;
// any other name is a register.
class names {
 public:
  // Complains of those that are defined twice.
  names(const std::vector<token>& tokens, std::vector<complaint>& complaints);

  std::optional<std::size_t> block(const std::string& name) const { return find(blocks_, name); }
  std::optional<std::size_t> function(const std::string& name) const { return find(functions_, name); }
  std::optional<std::size_t> data(const std::string& name) const { return find(data_, name); }
  std::size_t reg(const std::string& name);

  std::vector<std::string> registers() && { return std::move(register_names_); }

 private:
  using index = std::map<std::string, std::size_t>;

  static std::optional<std::size_t> find(const index& in, const std::string& name) {
    const auto found = in.find(name);
    if (found == in.end()) return std::nullopt;
    return found->second;
  }

  index blocks_;
  index data_;
  index functions_;
  index registers_;
  std::vector<std::string> register_names_;
};

}  // namespace tpal
