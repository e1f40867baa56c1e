// SPDX-License-Identifier: Apache-2.0
// Where the constructs of a schedule, or of a trace, are in the program: function and line, which addr2line finds.
#pragma once

#include "schedule/sites.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace command {

struct site {
  std::string function;  // as the program has it
  std::string line;      // "file:line"; empty: not known
};

struct sites {
  sennit::detail::code_sites code;
  std::vector<site> named;  // for each of code.places
  std::string remark;       // what is missing, and how to get it; empty: nothing

  // Of the named ones, from 1; 0: not known.
  std::uint32_t number(std::uint64_t at) const;
};

sites sites_of(sennit::detail::code_sites code);
sites sites_of(const sennit::detail::steal_tree& tree);

// Of what addr2line says of an address, innermost first: the innermost function of the program. Empty
// functions: there is none.
struct code_line {
  std::string function;
  std::string file;
  std::string line;
};
site site_among(const std::vector<code_line>& chain);

}  // namespace command
