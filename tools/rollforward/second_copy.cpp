// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/second_copy.hpp"

#include "tools/rollforward/directives.hpp"
#include "tools/rollforward/fault.hpp"
#include "tools/rollforward/frame_state.hpp"
#include "tools/rollforward/instruction.hpp"
#include "tools/rollforward/known_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rollforward {
namespace {

std::string renamed(std::string_view text, const label_set& labels) {
  return with_symbols(text, [&](std::string_view symbol) {
    std::string name(symbol);
    if (labels.all.contains(symbol)) name += copy_suffix;
    return name;
  });
}

bool is_number(std::string_view label) { return label.front() >= '0' && label.front() <= '9'; }

// The operand, adapted to a %rsp that is lower by 128.
std::string lowered(const std::string& operand) {
  const std::size_t bracket = operand.find('(');
  if (bracket == std::string::npos || operand.compare(bracket + 1, 4, "%rsp") != 0) return operand;
  const std::size_t segment = operand.find(':');
  const std::size_t begin = segment == std::string::npos ? 0 : segment + 1;
  return operand.substr(0, begin) + (begin == bracket ? "128" : "128+") + operand.substr(begin);
}

class writer {
 public:
  writer(const frame_state& frame, const label_set& labels) : frame_(frame), labels_(labels) {}

  // The instruction as it is in the second copy.
  std::string operator()(const statement& s, std::string_view text) const {
    const std::string target = s.operands.empty() ? "" : s.operands.front();
    switch (flow_of(s.name)) {
      case flow::on: break;
      case flow::leave:
        if (target.empty()) return "\tjmp\t*sennit_beat_return@GOTPCREL(%rip)\n";
        break;
      case flow::jump:
        if (is_indirect(s)) return depart(target.substr(1));
        if (goes_elsewhere(target)) return depart(got(target));
        return direct(s, target);
      case flow::conditional:
        if (!goes_elsewhere(target)) return direct(s, target);
        return fmt::format("\t{}\t771771f\n{}771771:\n", inverse_of(s.name), depart(got(target)));
      case flow::call:
      case flow::counted:
      case flow::transaction: return direct(s, target);
    }
    return fmt::format("\t{}\n", text);
  }

 private:
  // Whether the target is another function: a tail call.
  bool goes_elsewhere(const std::string& target) const {
    const std::string_view symbol = jump_symbol(target);
    return !symbol.empty() && (!labels_.all.contains(symbol) || labels_.names.contains(symbol));
  }

  static std::string got(const std::string& target) {
    return fmt::format("{}@GOTPCREL(%rip)", jump_symbol(target));
  }

  // A jump within the function, or a call.
  std::string direct(const statement& s, const std::string& target) const {
    const std::string there = goes_elsewhere(target) ? target : renamed(target, labels_);
    return fmt::format("\t{}{}\t{}\n", s.prefixes, s.name, there);
  }

  // The target is in the first copy or in another function; the library finds its counterpart. The red zone
  // stays unchanged; sennit_beat_jump removes everything from the stack again.
  std::string depart(const std::string& target) const {
    std::string out = "\t.cfi_remember_state\n\tleaq\t-128(%rsp), %rsp\n";
    if (frame_.follows_stack_pointer()) out += "\t.cfi_adjust_cfa_offset 128\n";
    out += fmt::format("\tpushq\t{}\n", lowered(target));
    if (frame_.follows_stack_pointer()) out += "\t.cfi_adjust_cfa_offset 8\n";
    return out + "\tjmp\t*sennit_beat_jump@GOTPCREL(%rip)\n\t.cfi_restore_state\n";
  }

  const frame_state& frame_;
  const label_set& labels_;
};

// `.loc file line column ... view LABEL`: the label belongs to the first copy.
std::string_view without_view(std::string_view location) {
  return location.substr(0, location.find(" view "));
}

}  // namespace

std::string first_label(std::size_t number) { return fmt::format(".Lrollforward_first{}", number); }

std::string point_label(std::size_t number) { return fmt::format(".Lrollforward_point{}", number); }

std::string second_label(std::size_t number) { return fmt::format(".Lrollforward_second{}", number); }

// Copies one procedure.
//
// A promotion point has no address of its own: it shares that of the next instruction. A thread at this
// address is before the promotion point, unless it has come by a label that stands between the two. So the
// place of the address is before all promotion points that no such label follows.
class procedure_copier {
 public:
  procedure_copier(copier& all, const procedure& p, const label_set& labels)
      : all_(all), p_(p), labels_(labels), write_(frame_, labels) {}

  second_copy run() {
    for (const std::string& label : p_.head) add_label(label);
    const statement& first = all_.statements_[p_.body.front()];
    out_.begin = mark(first.begin);
    add_code(first);
    for (std::size_t i = 0; i < p_.body.size(); ++i) copy(all_.statements_[p_.body[i]], i);
    for (const std::string& label : p_.tail) add_label(label);
    return std::move(out_);
  }

 private:
  void copy(const statement& s, std::size_t at) {
    switch (s.kind) {
      case statement_kind::label: copy_label(s); break;
      case statement_kind::marker:
        add_code(s);
        copy_marker(s);
        break;
      case statement_kind::instruction: copy_instruction(s, at); break;
      case statement_kind::assignment:
        throw fault(s.line,
                    fmt::format("an assignment to {} within the marked function {}", s.name, p_.name));
      case statement_kind::directive: copy_directive(s); break;
    }
  }

  static constexpr std::size_t most_steps = 64;

  // Whether what is behind the call at `at` comes to a promotion point for the time of the call, and only computes on its way.
  // Then the frame can be asked for its next call while this one goes on.
  bool is_latent(std::size_t at) const {
    known_values values(frame_.has_frame_pointer());
    for (std::size_t steps = 0; ++at < p_.body.size() && steps < most_steps; ++steps) {
      const statement& s = all_.statements_[p_.body[at]];
      if (s.kind == statement_kind::marker) return s.operands[2] == behind_latent_call;
      if (s.kind != statement_kind::instruction) continue;
      const flow where = flow_of(s.name);
      if (where == flow::on && values.follow(s)) continue;
      if (where != flow::jump || is_indirect(s)) return false;
      at = index_of(s.operands.front(), p_.body.size());
    }
    return false;
  }
  std::size_t index_of(std::string_view label, std::size_t otherwise) const {
    for (std::size_t i = 0; i < p_.body.size(); ++i) {
      const statement& s = all_.statements_[p_.body[i]];
      if (s.kind == statement_kind::label && s.name == label) return i;
    }
    return otherwise;
  }

  // Counts, for which no register is needed, and continues in the first copy: one beat causes one promotion.
  void copy_marker(const statement& s) {
    const std::size_t number = all_.next_point_++;
    out_.points.push_back({number, s.operands[1]});
    out_.text += fmt::format("\tlock incq\t{}(%rip)\n\tjmp\t{}\n", point_label(number), s.operands.front());
  }

  void copy_label(const statement& s) {
    if (is_number(s.name)) {
      out_.text += s.name + ":\n";
      code_here_ = false;
      return;
    }
    add_label(s.name);
    if (all_.arrivals_.at(s.name)) code_here_ = false;
    // Whoever has the address comes to this label, not to those before it.
    if (all_.arrivals_.by_address(s.name)) {
      std::erase_if(out_.places,
                    [&](const place& at) { return at.number >= first_here_ && at.kind == place_kind::code; });
    }
  }

  void copy_instruction(const statement& s, std::size_t at) {
    add_code(s);
    out_.text += write_(s, all_.text_of(s));
    move_on();
    if (flow_of(s.name) == flow::call) {
      const bool latent = is_latent(at);
      out_.places.push_back(
          {mark_behind(s.end), latent ? place_kind::behind_latent_call : place_kind::behind_call});
    }
  }

  void copy_directive(const statement& s) {
    const std::optional<treatment> what = treatment_of(s.name);
    if (!what) {
      throw fault(
          s.line,
          fmt::format("rollforward does not know the directive {}, which is in the marked function {}; "
                      "move what it belongs to out of this function",
                      s.name, p_.name));
    }
    const std::string_view text = all_.text_of(s);
    switch (*what) {
      case treatment::align:  // perhaps of no length: then the next address is this one
        out_.places.push_back({mark(s.begin), place_kind::padding});
        out_.text += fmt::format("\t{}\n", text);
        code_here_ = false;
        break;
      case treatment::bytes:
        out_.text += fmt::format("\t{}\n", text);
        move_on();
        break;
      case treatment::frame:
        frame_.follow(s);
        if (s.name == ".cfi_endproc") out_.places.push_back({mark(s.begin), place_kind::code});
        out_.text += fmt::format("\t{}\n", text);
        break;
      case treatment::tables: out_.text += fmt::format("\t{}\n", renamed(text, labels_)); break;
      case treatment::location: out_.text += fmt::format("\t{}\n", without_view(text)); break;
      case treatment::symbol:
      case treatment::section: break;
    }
  }

  void add_label(const std::string& label) { out_.text += label + std::string(copy_suffix) + ":\n"; }

  // The place where a thread goes on that is here, unless there is one.
  void add_code(const statement& before) {
    if (code_here_) return;
    out_.places.push_back({mark(before.begin), place_kind::code});
    code_here_ = true;
  }

  // The next address is another one.
  void move_on() {
    code_here_ = false;
    first_here_ = all_.next_number_;
  }

  // Labels for this place in both copies. Returns their number.
  std::size_t mark(std::size_t at) {
    all_.insertions_.push_back({at, first_label(all_.next_number_) + ": "});
    return mark_second();
  }
  std::size_t mark_behind(std::size_t at) {
    all_.insertions_.push_back({at, fmt::format("; {}:", first_label(all_.next_number_))});
    return mark_second();
  }
  std::size_t mark_second() {
    out_.text += second_label(all_.next_number_) + ":\n";
    return all_.next_number_++;
  }

  copier& all_;
  const procedure& p_;
  const label_set& labels_;
  frame_state frame_;
  const writer write_;
  second_copy out_;
  bool code_here_ = false;      // the last place is that of a thread that is here
  std::size_t first_here_ = 0;  // the first place of this address
};

second_copy copier::copy(const procedure& p, const label_set& labels) {
  return procedure_copier(*this, p, labels).run();
}

std::string copier::copy(const exception_table& t, const label_set& labels) const {
  std::string out = t.where.directive() + "\t.balign\t4\n";
  for (const std::size_t i : t.body) {
    const statement& s = statements_[i];
    const std::string text = renamed(text_of(s), labels);
    out += s.kind == statement_kind::label ? text + "\n" : "\t" + text + "\n";
  }
  return out;
}

}  // namespace rollforward
