// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/arrivals.hpp"

#include "tools/rollforward/directives.hpp"
#include "tools/rollforward/instruction.hpp"
#include "tools/rollforward/section.hpp"

#include <optional>

namespace rollforward {
namespace {

// Directives that name labels for debuggers, unwinders and the linker only.
bool leads_nowhere(const statement& s) {
  if (s.kind != statement_kind::directive) return false;
  const std::optional<treatment> t = treatment_of(s.name);
  return t && *t != treatment::bytes;
}

// The label is in the instruction itself: no other place leads there through it.
bool names_its_target(const statement& s) {
  if (s.kind == statement_kind::marker) return true;
  return s.kind == statement_kind::instruction && flow_of(s.name) != flow::on && !is_indirect(s);
}

}  // namespace

arrivals::arrivals(const std::vector<statement>& statements) {
  section_tracker sections;
  for (const statement& s : statements) {
    if (s.kind == statement_kind::directive && treatment_of(s.name) == treatment::section) {
      sections.follow(s);
      continue;
    }
    const std::string& section = sections.current().name;
    if (!section.starts_with(".debug")) note(s, section.starts_with(".gcc_except_table"));
  }
}

void arrivals::note(const statement& s, bool in_exception_table) {
  if (s.kind == statement_kind::label || leads_nowhere(s)) return;
  // The unwinder finds a landing pad in the table of the copy that threw.
  note_operands(s, in_exception_table || names_its_target(s));
}

void arrivals::note_operands(const statement& s, bool only_named) {
  for (const std::string& operand : s.operands) {
    with_symbols(operand, [&](std::string_view symbol) {
      named_.emplace(symbol);
      if (!only_named) addresses_.emplace(symbol);
      return std::string(symbol);
    });
  }
}

}  // namespace rollforward
