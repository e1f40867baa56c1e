#include "tools/rollforward/second_copy.hpp"

#include "tools/rollforward/directives.hpp"
#include "tools/rollforward/fault.hpp"
#include "tools/rollforward/frame_state.hpp"
#include "tools/rollforward/instruction.hpp"

#include <fmt/format.h>

#include <algorithm>

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

// The symbol in a jump's operand, perhaps with @PLT. Empty if the operand is something else.
std::string_view symbol_of(std::string_view operand) {
  operand = operand.substr(0, operand.find("@PLT"));
  const bool symbol = !operand.empty() && is_symbol_start(operand.front()) && operand != "." &&
                      std::all_of(operand.begin(), operand.end(), is_symbol_part);
  return symbol ? operand : std::string_view{};
}

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
    const std::string_view symbol = symbol_of(target);
    return !symbol.empty() && (!labels_.all.contains(symbol) || labels_.names.contains(symbol));
  }

  static std::string got(const std::string& target) {
    return fmt::format("{}@GOTPCREL(%rip)", symbol_of(target));
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

std::string second_label(std::size_t number) { return fmt::format(".Lrollforward_second{}", number); }

second_copy copier::copy(const procedure& p, const label_set& labels) {
  second_copy out;
  frame_state frame;
  const writer write(frame, labels);
  // Adds a place at the statement, or `behind` it: the place to which a call returns.
  const auto add_place = [&](const statement& s, bool padding, bool behind) {
    const std::size_t number = next_number_++;
    if (behind) {
      insertions_.push_back({s.end, fmt::format("; {}:", first_label(number))});
    } else {
      insertions_.push_back({s.begin, first_label(number) + ": "});
    }
    out.text += second_label(number) + ":\n";
    out.places.push_back({number, padding});
  };

  for (const std::string& label : p.head) out.text += label + std::string(copy_suffix) + ":\n";
  for (const std::size_t i : p.body) {
    const statement& s = statements_[i];
    switch (s.kind) {
      case statement_kind::label:
        out.text += is_number(s.name) ? s.name : s.name + std::string(copy_suffix);
        out.text += ":\n";
        continue;
      case statement_kind::marker:
        // Continues in the first copy: one beat causes one promotion.
        out.text += fmt::format("\tjmp\t{}\n", s.operands.front());
        continue;
      case statement_kind::instruction:
        add_place(s, false, false);
        out.text += write(s, text_of(s));
        if (flow_of(s.name) == flow::call) add_place(s, false, true);
        continue;
      case statement_kind::assignment:
        throw fault(s.line, fmt::format("an assignment to {} within the marked function {}", s.name, p.name));
      case statement_kind::directive: break;
    }
    const std::optional<treatment> what = treatment_of(s.name);
    if (!what) {
      throw fault(
          s.line,
          fmt::format("rollforward does not know the directive {}, which is in the marked function {}; "
                      "move what it belongs to out of this function",
                      s.name, p.name));
    }
    switch (*what) {
      case treatment::align: add_place(s, true, false); [[fallthrough]];
      case treatment::bytes: out.text += fmt::format("\t{}\n", text_of(s)); break;
      case treatment::frame:
        frame.follow(s);
        if (s.name == ".cfi_endproc") add_place(s, false, false);
        out.text += fmt::format("\t{}\n", text_of(s));
        break;
      case treatment::tables: out.text += fmt::format("\t{}\n", renamed(text_of(s), labels)); break;
      case treatment::location: out.text += fmt::format("\t{}\n", without_view(text_of(s))); break;
      case treatment::symbol:
      case treatment::section: break;
    }
  }
  for (const std::string& label : p.tail) out.text += label + std::string(copy_suffix) + ":\n";
  return out;
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
