// SPDX-License-Identifier: Apache-2.0
// The functions of a file as rollforward sees them: their code, its place, and what belongs together.
#pragma once

#include "tools/rollforward/lexer.hpp"
#include "tools/rollforward/section.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rollforward {

// Everything from a .cfi_startproc to its .cfi_endproc. A function has one procedure, or a second one for
// its cold part.
struct procedure {
  std::string name;
  section where;
  std::vector<std::string> head;  // labels at its first address, before .cfi_startproc
  std::vector<std::size_t> body;  // statements in its own section, including .cfi_startproc and .cfi_endproc
  std::vector<std::string> tail;  // local labels at its end, after .cfi_endproc
  std::string lsda;               // label of its exception table; empty if it has none
  std::size_t markers = 0;
  std::size_t instructions = 0;
  std::size_t unit = 0;  // procedures that jump into each other have the same number
};

// An exception table (a language-specific data area, LSDA).
struct exception_table {
  section where;
  std::vector<std::size_t> body;  // statements from its label on
};

struct outline {
  std::vector<procedure> procedures;
  std::map<std::string, exception_table> tables;  // by label
  std::set<std::size_t> marked;                   // units in which a procedure has a marker
};

// Throws `fault` for a promotion point outside every procedure.
outline outline_of(const std::vector<statement>& statements);

}  // namespace rollforward
