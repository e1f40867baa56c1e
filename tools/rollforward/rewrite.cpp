// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/rewrite.hpp"

#include "tools/rollforward/fault.hpp"
#include "tools/rollforward/lexer.hpp"
#include "tools/rollforward/outline.hpp"
#include "tools/rollforward/second_copy.hpp"
#include "tools/rollforward/tables.hpp"
#include "tools/rollforward/tail_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>

namespace rollforward {
namespace {

// Beside other cold code, which the linker places together, and in the function's COMDAT group.
section copy_section(const section& original) {
  std::string rest = original.name;
  if (rest.starts_with(".text")) rest = rest.substr(5);
  if (!rest.empty() && rest.front() != '.') rest = '.' + rest;
  section s{".text.unlikely.rollforward" + rest, ",\"ax\",@progbits", ""};
  if (!original.group.empty()) {
    s.group = original.group;
    s.arguments = fmt::format(",\"axG\",@progbits,{},comdat", s.group);
  }
  return s;
}

// The labels in a unit's code and exception tables.
label_set labels_of(const outline& all, std::size_t unit, const std::vector<statement>& statements) {
  label_set labels;
  const auto add = [&](const std::vector<std::size_t>& body) {
    for (const std::size_t i : body) {
      const statement& s = statements[i];
      const bool number = s.name.front() >= '0' && s.name.front() <= '9';
      if (s.kind != statement_kind::label || number) continue;
      if (s.name.front() == '"')
        throw fault(s.line, fmt::format("a label in quotes, {}, in a marked function", s.name));
      labels.all.insert(s.name);
    }
  };
  for (const procedure& p : all.procedures) {
    if (p.unit != unit) continue;
    labels.names.insert(p.name);
    labels.all.insert(p.head.begin(), p.head.end());
    labels.all.insert(p.tail.begin(), p.tail.end());
    add(p.body);
    if (const auto table = all.tables.find(p.lsda); table != all.tables.end()) add(table->second.body);
  }
  return labels;
}

// The names of a copied procedure. A debugger shows it as a clone.
std::string wrapped(const procedure& p, const std::string& text) {
  const std::string name = p.name + std::string(copy_suffix);
  return fmt::format("{}\t.p2align\t4\n\t.type\t{}, @function\n{}\t.size\t{}, .-{}\n",
                     copy_section(p.where).directive(), name, text, name, name);
}

std::string with_insertions(std::string_view source, const std::vector<insertion>& insertions) {
  // Entries at one place keep their order. Not by std::stable_sort, which uses an allocation that clang
  // reports as deprecated.
  std::multimap<std::size_t, std::string_view> sorted;
  for (const insertion& i : insertions) sorted.emplace(i.at, i.text);
  std::string out;
  std::size_t at = 0;
  for (const auto& [place, text] : sorted) {
    out += source.substr(at, place - at);
    out += text;
    at = place;
  }
  out += source.substr(at);
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out;
}

void add(const procedure& p, function_size& size) {
  size.instructions += p.instructions;
  if (p.where.name.starts_with(".text.unlikely")) size.cold += p.instructions;
}

// Makes comments of the directives for which the linker would refuse the file. Each is in a line of its own.
std::vector<insertion> without_refusal(const std::vector<statement>& statements) {
  std::vector<insertion> out;
  for (const statement& s : statements) {
    if (s.kind == statement_kind::directive && !s.operands.empty() && s.operands.front() == refusal_symbol)
      out.push_back({s.begin, "# "});
  }
  return out;
}

// Its first procedure may be the cold part.
const std::string& name_of(const outline& all, std::size_t unit) {
  const auto whole = std::find_if(all.procedures.begin(), all.procedures.end(), [unit](const procedure& p) {
    return p.unit == unit && !p.name.ends_with(".cold");
  });
  return whole == all.procedures.end() ? all.procedures[unit].name : whole->name;
}

// Refuses dialects that the parser would misread.
void refuse_foreign(const std::vector<statement>& statements) {
  for (const statement& s : statements) {
    if (s.kind != statement_kind::directive) continue;
    if (s.name == ".intel_syntax")
      throw fault(s.line, ".intel_syntax: rollforward reads AT&T syntax; compile without -masm=intel");
    if (!s.operands.empty() && s.operands.front() == table_section)
      throw fault(s.line, "this file has been rolled forward before");
  }
}

}  // namespace

rewritten rewrite(std::string_view source) {
  const std::vector<statement> statements = lex(source);
  const bool marked = std::any_of(statements.begin(), statements.end(),
                                  [](const statement& s) { return s.kind == statement_kind::marker; });
  if (!marked) return {std::string(source), {}};
  refuse_foreign(statements);

  const outline all = outline_of(statements);
  const arrivals arriving(statements);
  copier copies(source, statements, arriving);
  rewritten out;
  std::string appended;
  std::set<std::size_t> units = units_that_lead_on(all, statements, arriving);
  units.insert(all.marked.begin(), all.marked.end());
  for (const std::size_t unit : units) {
    const label_set labels = labels_of(all, unit, statements);
    marked_function& f = out.functions.emplace_back();
    f.name = name_of(all, unit);
    for (const procedure& p : all.procedures) {
      if (p.unit != unit) continue;
      if (p.instructions == 0) continue;
      f.markers += p.markers;
      add(p, f.size);
      const second_copy copy = copies.copy(p, labels);
      appended += wrapped(p, copy.text);
      if (const auto table = all.tables.find(p.lsda); table != all.tables.end())
        appended += copies.copy(table->second, labels);
      appended += address_pairs(p, copy) + point_records(p, f.name, copy);
    }
  }
  std::vector<insertion> insertions = without_refusal(statements);
  insertions.insert(insertions.end(), copies.insertions().begin(), copies.insertions().end());
  out.text = with_insertions(source, insertions) + appended + registration();
  return out;
}

std::map<std::string, function_size> function_sizes(std::string_view source) {
  std::map<std::string, function_size> sizes;
  const outline all = outline_of(lex(source));
  for (const procedure& p : all.procedures) add(p, sizes[all.procedures[p.unit].name]);
  return sizes;
}

}  // namespace rollforward
