// The functions of a file, as far as rollforward cares: their code, where it lies, what belongs together.
#pragma once

#include "tools/rollforward/lexer.hpp"
#include "tools/rollforward/section.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rollforward {

// What stands between a .cfi_startproc and its .cfi_endproc. A function has one, or another for its cold part.
struct procedure {
  std::string name;
  section where;
  std::vector<std::string> head;  // labels at its first address that stand before .cfi_startproc
  std::vector<std::size_t> body;  // statements in its own section, .cfi_startproc and .cfi_endproc with them
  std::vector<std::string> tail;  // local labels at its end that stand behind .cfi_endproc
  std::string lsda;               // label of its exception table, if it has one
  std::size_t markers = 0;
  std::size_t instructions = 0;
  std::size_t unit = 0;  // procedures that jump into each other have the same
};

// An exception table (a language-specific data area, LSDA).
struct exception_table {
  section where;
  std::vector<std::size_t> body;  // statements, from its label on
};

struct outline {
  std::vector<procedure> procedures;
  std::map<std::string, exception_table> tables;  // by label
  std::set<std::size_t> marked;                   // units with a marker in one of their procedures
};

// Throws `fault` for a promotion point that is in no procedure.
outline outline_of(const std::vector<statement>& statements);

}  // namespace rollforward
