// SPDX-License-Identifier: Apache-2.0
// The language: #pragma splice func|step|try.
#pragma once

#include "tools/splicec/source.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace splicec {

struct pragma {
  enum class sort { func, step, attempt };

  sort what;
  unsigned begin;                      // of the #
  unsigned end;                        // of the line, or of the last of its lines
  unsigned next;                       // where what it speaks of begins
  std::optional<std::string> reads{};  // lists of regions
  std::optional<std::string> writes{};
  std::string together{};         // of try
  std::set<std::string> names{};  // that the regions mention; with & if their address is
  bool used = false;

  bool says_effects() const noexcept { return reads.has_value() || writes.has_value(); }
};

// Those of the file, in order. What is wrong with them is said.
std::vector<pragma> pragmas_of(const source& all, const file_text& file);

}  // namespace splicec
