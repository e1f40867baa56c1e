// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/outline.hpp"

#include "tools/rollforward/directives.hpp"
#include "tools/rollforward/fault.hpp"
#include "tools/rollforward/instruction.hpp"

#include <numeric>
#include <optional>
#include <utility>

namespace rollforward {
namespace {

// Whether the next address may differ. Unknown statements count as if it did.
bool moves_on(const statement& s) {
  if (s.kind == statement_kind::instruction) return true;
  if (s.kind != statement_kind::directive) return false;
  const std::optional<treatment> t = treatment_of(s.name);
  return !t || *t == treatment::bytes || *t == treatment::align;
}

bool is_local(const std::string& label) { return label.starts_with(".L"); }

class reader {
 public:
  explicit reader(const std::vector<statement>& statements) : statements_(statements) {}

  outline run() {
    for (at_ = 0; at_ < statements_.size(); ++at_) read(statements_[at_]);
    if (open_) throw fault(open_line_, "a .cfi_startproc without its .cfi_endproc");
    find_tables();
    find_units();
    return std::move(out_);
  }

 private:
  void read(const statement& s) {
    if (s.kind == statement_kind::directive && treatment_of(s.name) == treatment::section) {
      sections_.follow(s);
      behind_end_ = false;
      return;
    }
    const section& here = sections_.current();
    const bool inside = open_ && here == open_->where;
    if (s.kind == statement_kind::directive && s.name == ".cfi_startproc") {
      begin(s, here);
    } else if (inside) {
      open_->body.push_back(at_);
      note(s);
    } else if (s.kind == statement_kind::marker) {
      throw fault(s.line, "a promotion point outside of .cfi_startproc and .cfi_endproc; "
                          "compile with -fasynchronous-unwind-tables");
    } else if (behind_end_ && s.kind == statement_kind::label && is_local(s.name)) {
      out_.procedures.back().tail.push_back(s.name);
      return;
    }
    behind_end_ = false;
    if (moves_on(s)) {
      labels_here_[here].clear();
    } else if (s.kind == statement_kind::label) {
      labels_here_[here].push_back(s.name);
    }
    if (inside && s.name == ".cfi_endproc") end();
  }

  void begin(const statement& s, const section& here) {
    if (open_) throw fault(s.line, "a .cfi_startproc within another");
    open_.emplace();
    open_line_ = s.line;
    open_->where = here;
    open_->head = labels_here_[here];
    open_->body.push_back(at_);
    for (const std::string& label : open_->head) {
      if (!is_local(label)) open_->name = label;
    }
  }

  void note(const statement& s) {
    switch (s.kind) {
      case statement_kind::instruction: ++open_->instructions; break;
      case statement_kind::marker: ++open_->markers; break;
      case statement_kind::label:
        if (open_->name.empty() && open_->instructions == 0 && !is_local(s.name)) open_->name = s.name;
        break;
      case statement_kind::directive:
        if (s.name == ".cfi_lsda" && s.operands.size() == 2) open_->lsda = s.operands[1];
        break;
      case statement_kind::assignment: break;
    }
  }

  void end() {
    if (open_->name.empty()) open_->name = open_->head.empty() ? "?" : open_->head.back();
    labels_here_[open_->where].clear();
    out_.procedures.push_back(std::move(*open_));
    open_.reset();
    behind_end_ = true;
  }

  // A table extends from its label to the end of its section, or to the next table.
  void find_tables() {
    std::set<std::string> labels;
    for (const procedure& p : out_.procedures) labels.insert(p.lsda);
    section_tracker sections;
    exception_table* open = nullptr;
    for (std::size_t i = 0; i < statements_.size(); ++i) {
      const statement& s = statements_[i];
      if (s.kind == statement_kind::directive && treatment_of(s.name) == treatment::section) {
        sections.follow(s);
        open = nullptr;
      } else if (s.kind == statement_kind::label && labels.contains(s.name)) {
        open = &out_.tables[s.name];
        open->where = sections.current();
      }
      if (open) open->body.push_back(i);
    }
  }

  std::size_t root(std::size_t p) const {
    while (out_.procedures[p].unit != p) p = out_.procedures[p].unit;
    return p;
  }

  void unite(std::size_t p, const std::string& label) {
    const auto found = owner_.find(label);
    if (found != owner_.end()) out_.procedures[root(found->second)].unit = root(p);
  }

  void find_units() {
    std::vector<procedure>& all = out_.procedures;
    for (std::size_t p = 0; p < all.size(); ++p) {
      all[p].unit = p;
      for (const std::string& label : all[p].head) owner_[label] = p;
      for (const std::size_t i : all[p].body) {
        if (statements_[i].kind == statement_kind::label) owner_[statements_[i].name] = p;
      }
    }
    for (std::size_t p = 0; p < all.size(); ++p) {
      for (const std::size_t i : all[p].body) unite_targets(p, statements_[i]);
    }
    for (std::size_t p = 0; p < all.size(); ++p) {
      all[p].unit = root(p);
      if (all[p].markers != 0) out_.marked.insert(root(p));
    }
  }

  // A jump to a local label stays in one function. A jump to a symbol is a tail call.
  void unite_targets(std::size_t p, const statement& s) {
    const bool goes = s.kind == statement_kind::marker ||
                      (s.kind == statement_kind::instruction && flow_of(s.name) != flow::on);
    if (goes && !s.operands.empty() && is_local(s.operands.front())) unite(p, s.operands.front());
  }

  const std::vector<statement>& statements_;
  std::size_t at_ = 0;
  section_tracker sections_;
  std::optional<procedure> open_;
  std::size_t open_line_ = 0;
  bool behind_end_ = false;                                  // only local labels since a .cfi_endproc
  std::map<section, std::vector<std::string>> labels_here_;  // at the present address of each section
  std::map<std::string, std::size_t> owner_;                 // for each label
  outline out_;
};

}  // namespace

outline outline_of(const std::vector<statement>& statements) { return reader(statements).run(); }

}  // namespace rollforward
