// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/tail_calls.hpp"

#include "tools/rollforward/directives.hpp"
#include "tools/rollforward/instruction.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace rollforward {
namespace {

// What a unit jumps to outside of its own code.
struct departures {
  std::set<std::string, std::less<>> names;
  bool by_address = false;
  bool copyable = true;
};

bool is_copyable(const statement& s) {
  switch (s.kind) {
    case statement_kind::assignment: return false;
    case statement_kind::directive: return treatment_of(s.name).has_value();
    case statement_kind::label: return s.name.front() != '"';
    case statement_kind::instruction:
    case statement_kind::marker: break;
  }
  return true;
}

void note(const statement& s, departures& of) {
  of.copyable = of.copyable && is_copyable(s);
  if (s.kind != statement_kind::instruction || s.operands.empty()) return;
  const flow kind = flow_of(s.name);
  if (kind != flow::jump && kind != flow::conditional) return;
  of.by_address = of.by_address || is_indirect(s);
  of.names.emplace(jump_symbol(s.operands.front()));
}

class search {
 public:
  search(const outline& all, const std::vector<statement>& statements, const arrivals& arriving)
      : all_(all), arriving_(arriving) {
    for (const procedure& p : all.procedures) {
      departures& of = units_[p.unit];
      for (const std::size_t i : p.body) note(statements[i], of);
    }
    for (const std::size_t unit : all.marked) add(unit);
  }

  std::set<std::size_t> run() {
    std::set<std::size_t> found;
    for (bool more = true; more;) {
      more = false;
      for (const auto& [unit, of] : units_) {
        if (all_.marked.contains(unit) || found.contains(unit) || !leads_on(of)) continue;
        found.insert(unit);
        add(unit);
        more = true;
      }
    }
    return found;
  }

 private:
  // A unit to come to.
  void add(std::size_t unit) {
    for (const procedure& p : all_.procedures) {
      if (p.unit != unit) continue;
      reached_.insert(p.name);
      by_address_ = by_address_ || arriving_.by_address(p.name);
    }
  }

  bool leads_on(const departures& of) const {
    if (!of.copyable) return false;
    return (of.by_address && by_address_) ||
           std::any_of(of.names.begin(), of.names.end(),
                       [this](const std::string& name) { return reached_.contains(name); });
  }

  const outline& all_;
  const arrivals& arriving_;
  std::map<std::size_t, departures> units_;
  std::set<std::string> reached_;
  bool by_address_ = false;  // code has the address of one of them
};

}  // namespace

std::set<std::size_t> units_that_lead_on(const outline& all, const std::vector<statement>& statements,
                                         const arrivals& arriving) {
  return search(all, statements, arriving).run();
}

}  // namespace rollforward
