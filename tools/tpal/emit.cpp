#include "tools/tpal/emit.hpp"

#include "tools/tpal/flow.hpp"
#include "tools/tpal/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

namespace tpal {
namespace {

std::string number(std::int64_t n) {
  return n == std::numeric_limits<std::int64_t>::min() ? std::string("INT64_MIN")
                                                       : fmt::format("number{{{}}}", n);
}

std::string quoted(std::string_view text) {
  std::string q = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') q += '\\';
    q += c;
  }
  return q + '"';
}

class writer {
 public:
  explicit writer(const program& p) : program_(p), names_(register_names(p)) {}

  std::string executable() {
    own_lines();
    code(false);
    main();
    return std::move(text_);
  }

  std::string callable(const signature& s) {
    own_lines();
    line("#include \"{}\"", function_header);
    code(true);
    definition(s);
    return std::move(text_);
  }

 private:
  void code(bool is_function) {
    text_ += native_runtime;
    text_ += "\nnamespace tpal_native {\n";
    for (std::size_t f = 0; f < program_.functions.size(); ++f) declaration(f);
    text_ += "namespace {\n\n";
    line("const char* const file = {};", quoted(program_.file));
    line("const bool is_function = {};", is_function);
    tables();
    join_targets();
    function();
    text_ += "}  // namespace\n}  // namespace tpal_native\n";
  }

  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    text_ += fmt::format(format, std::forward<T>(values)...) + "\n";
  }

  // Debuggers show the program's lines, and the registers as variables, `r_` before their names.
  void lines_of(position at) { line("#line {} {}", at.line, quoted(program_.file)); }
  // What belongs to no line of the program is in a file that nobody has.
  void own_lines() {
    line("#line {} {}", std::count(text_.begin(), text_.end(), '\n') + 2, quoted(program_.file + ".cpp"));
  }

  static std::vector<std::string> register_names(const program& p) {
    std::set<std::string> taken;
    std::vector<std::string> names;
    for (const std::string& name : p.registers) {
      std::string word = "r_" + name;
      std::replace(word.begin(), word.end(), '-', '_');
      while (!taken.insert(word).second) word += '_';
      names.push_back(word);
    }
    return names;
  }

  std::string value(const operand& v) const {
    switch (v.is) {
      case operand::kind::reg: return names_[static_cast<std::size_t>(v.value)];
      case operand::kind::data: return fmt::format("places[{}].begin", v.value);
      case operand::kind::length: return fmt::format("places[{}].length", v.value);
      default: return number(v.value);
    }
  }

  // An array needs an element.
  void tables() {
    for (std::size_t i = 0; i < program_.arrays.size(); ++i) {
      const data& d = program_.arrays[i];
      if (!d.zeros.empty()) continue;
      std::string cells;
      for (const std::int64_t c : d.cells) cells += number(c) + ", ";
      line("const number cells{}[] = {{{}0}};", i, cells);
    }
    text_ += "const output outputs[] = {";
    for (const operand& v : program_.outputs) {
      const auto which = static_cast<std::size_t>(v.value);
      const bool is_register = v.is == operand::kind::reg;
      text_ += fmt::format("{{{}, {}, {}}}, ",
                           quoted(is_register ? program_.registers[which] : program_.arrays[which].name),
                           is_register, which);
    }
    line("{{\"\", false, 0}}}};\nconst int output_count = {};", program_.outputs.size());
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      const annotation& note = program_.blocks[b].note;
      if (note.transfers.empty()) continue;
      text_ += fmt::format("const transfer transfers{}[] = {{", b);
      for (const transfer& t : note.transfers) text_ += fmt::format("{{{}, {}}}, ", t.from, t.to);
      text_ += "};\n";
    }
  }

  void join_targets() {
    text_ += "const join_target join_targets[] = {";
    int count = 0;
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      const annotation& note = program_.blocks[b].note;
      if (note.is != annotation::kind::join_target) continue;
      ++count;
      text_ += fmt::format("{{{}, {}, {}, {}}}, ", b, note.block,
                           note.transfers.empty() ? "nullptr" : fmt::format("transfers{}", b),
                           note.transfers.size());
    }
    text_ += "{-1, -1, nullptr, 0}};\n";
    line("const int join_target_count = {};", count);
    line("const int register_count = {};\n", program_.registers.size());
  }

  // By a name of its own, as headers may declare the function in another way.
  void declaration(std::size_t index) {
    const tpal::function& f = program_.functions[index];
    std::vector<std::string_view> parameters(f.parameters.size(), "number");
    line("extern \"C\" {} extern_{}({}) asm({});", f.returns ? "number" : "void", index,
         fmt::join(parameters, ", "), quoted(f.name));
  }

  std::string all_registers() const {
    std::string all;
    for (const std::string& name : names_) all += name + ", ";
    return all + "0";
  }

  void function() {
    line("[[gnu::noinline]] void execute(strand& s, number target, const number* registers) {{");
    line("  [[maybe_unused]] const cells heap(s.all);");
    line("  [[maybe_unused]] const place* const places = s.all.places.data();");
    line("  number record = 0;\n  int join_line = 0;");
    for (std::size_t r = 0; r < program_.registers.size(); ++r)
      line("  number {} = registers[{}];", names_[r], r);
    line("dispatch:\n  switch (target) {{");
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) line("    case {0}: goto b{0};", b);
    line("    default: fail(0, \"a jump to what is no label\");\n  }}");
    line("join: {{\n  number all[] = {{{}}};", all_registers());
    line("  target = s.join(record, all, join_line);\n  if (target < 0) return;");
    for (std::size_t r = 0; r < program_.registers.size(); ++r) line("  {} = all[{}];", names_[r], r);
    line("  goto dispatch;\n}}");
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      const block& from = program_.blocks[b];
      lines_of(from.at);
      line("b{}:  // {}", b, from.name);
      if (from.note.is == annotation::kind::promotion_ready) {
        line("  SENNIT_PROMOTION_POINT(goto b{});", from.note.block);
      }
      for (const instruction& i : from.code) {
        lines_of(i.at);
        text_ += "  " + statement(i) + "\n";
      }
    }
    own_lines();
    line("}}\n");
  }

  std::string go(const operand& v) const {
    if (v.is == operand::kind::label) return fmt::format("goto b{};", v.value);
    return fmt::format("{{ target = {}; goto dispatch; }}", value(v));
  }

  std::string statement(const instruction& i) const {
    const std::string target = writes(i) ? names_[i.target] + " = " : std::string();
    const std::string left = value(i.left);
    const std::string right = value(i.right);
    const int at = i.at.line;
    switch (i.code) {
      case opcode::move: return target + left + ";";
      case opcode::compute: return target + computed(i.op, left, right, at) + ";";
      case opcode::load:
        return fmt::format("{}heap.at(wrap(bits({}) + bits({})), {});", target, left, right, at);
      case opcode::store:
        return fmt::format("heap.at(wrap(bits({}) + bits({})), {}) = {};", left, right, at, value(i.stored));
      case opcode::load_stack: return fmt::format("{}s.calls.at({}, {});", target, right, at);
      case opcode::store_stack: return fmt::format("s.calls.at({}, {}) = {};", right, at, value(i.stored));
      case opcode::if_jump: return fmt::format("if ({} == 0) {}", left, go(i.right));
      case opcode::jump: return go(i.left);
      case opcode::halt:
        return fmt::format("{{ const number all[] = {{{}}}; halt(s.all, all); return; }}", all_registers());
      case opcode::jralloc: return fmt::format("{}s.allocate({}, {});", target, left, at);
      case opcode::fork:
        return fmt::format("{{ const number all[] = {{{}}}; s.fork({}, {}, all, {}); }}", all_registers(),
                           left, right, at);
      case opcode::join: return fmt::format("record = {}; join_line = {}; goto join;", left, at);
      case opcode::snew: return fmt::format("s.calls.renew({});", at);
      case opcode::salloc: return fmt::format("s.calls.allocate({}, {});", left, at);
      case opcode::sfree: return fmt::format("s.calls.free({}, {});", left, at);
      case opcode::prmpush: return fmt::format("s.calls.push_mark({}, {});", right, at);
      case opcode::prmpop: return fmt::format("s.calls.pop_mark({}, {});", right, at);
      case opcode::prmempty: return target + "s.calls.no_marks();";
      case opcode::prmsplit: return fmt::format("{}s.calls.split_mark({});", target, at);
      case opcode::call: return target + called(i);
      case opcode::call_only: return called(i);
    }
    return "";
  }

  std::string called(const instruction& i) const {
    std::vector<std::string> arguments;
    for (const operand& v : i.arguments) arguments.push_back(value(v));
    return fmt::format("extern_{}({});", i.function, fmt::join(arguments, ", "));
  }

  static std::string computed(operation op, const std::string& a, const std::string& b, int at) {
    const auto wrapped = [&](const char* sign) {
      return fmt::format("wrap(bits({}) {} bits({}))", a, sign, b);
    };
    const auto compared = [&](const char* sign) { return fmt::format("({} {} {} ? 0 : 1)", a, sign, b); };
    switch (op) {
      case operation::add: return wrapped("+");
      case operation::subtract: return wrapped("-");
      case operation::multiply: return wrapped("*");
      case operation::bit_and: return wrapped("&");
      case operation::bit_or: return wrapped("|");
      case operation::bit_xor: return wrapped("^");
      case operation::divide: return fmt::format("divide({}, {}, {})", a, b, at);
      case operation::remainder: return fmt::format("remainder({}, {}, {})", a, b, at);
      case operation::less: return compared("<");
      case operation::less_equal: return compared("<=");
      case operation::greater: return compared(">");
      case operation::greater_equal: return compared(">=");
      case operation::equal: return compared("==");
      case operation::not_equal: return compared("!=");
      case operation::shift_left: return fmt::format("wrap(bits({}) << (bits({}) & 63U))", a, b);
      case operation::shift_right: return fmt::format("({} >> (bits({}) & 63U))", a, b);
    }
    return "";
  }

  // Into the heap of `all`, in the order of the text.
  void data_cells(const signature* s) {
    for (std::size_t i = 0; i < program_.arrays.size(); ++i) {
      const data& d = program_.arrays[i];
      if (d.zeros.empty()) {
        const std::string own = fmt::format("std::span<const number>(cells{}, {})", i, d.cells.size());
        line("  all.add_cells({});",
             s == nullptr ? own : fmt::format("in.{}.value_or({})", s->arrays[i], own));
        continue;
      }
      std::string factors;
      for (const operand& v : d.zeros) {
        factors += v.is == operand::kind::reg      ? fmt::format("registers[{}], ", v.value)
                   : v.is == operand::kind::length ? fmt::format("all.places[{}].length, ", v.value)
                                                   : value(v) + ", ";
      }
      line("  all.add_zeros({{{}}}, {});", factors, d.at.line);
    }
  }

  void main() {
    line("\nint main(int argc, char** argv) {{\n  using namespace tpal_native;");
    line("  std::vector<input> inputs = {{");
    for (const input& i : program_.inputs) {
      line("    {{{}, {}, {}, {}}},", quoted(program_.registers[i.target]), i.target, i.otherwise.has_value(),
           number(i.otherwise.value_or(0)));
    }
    line("  }};\n  const unsigned workers = read_arguments(argc, argv, inputs);");
    line("  std::vector<number> registers({});", program_.registers.size() + 1);
    line("  for (const input& i : inputs) registers[static_cast<std::size_t>(i.target)] = i.value;");
    line("  machine all;");
    data_cells(nullptr);
    line("  start_program(all, registers.data(), workers);\n}}");
  }

  void definition(const signature& s) {
    line("\ntpal::{0}_outputs tpal::{0}(const {0}_inputs& in) {{\n  using namespace tpal_native;", s.name);
    line("  std::vector<number> registers({});", program_.registers.size() + 1);
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      line("  registers[{}] = in.{};", program_.inputs[i].target, s.inputs[i]);
    }
    line("  machine all;");
    data_cells(&s);
    line("  start_function(all, registers.data());\n  {}_outputs out;", s.name);
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
      const operand& v = program_.outputs[i];
      if (v.is == operand::kind::reg) {
        line("  out.{} = all.result[{}];", s.outputs[i], v.value);
      } else {
        line("  const auto cells_{0} = all.cells_of({1});\n  out.{0}.assign(cells_{0}.begin(), "
             "cells_{0}.end());",
             s.outputs[i], v.value);
      }
    }
    line("  return out;\n}}");
  }

  const program& program_;
  const std::vector<std::string> names_;  // of the registers
  std::string text_;
};

void require_outputs(const program& p, std::string_view what_for) {
  if (!p.outputs.empty()) return;
  throw std::invalid_argument(
      fmt::format("{} has no outputs to {}; name registers or data by .output", p.file, what_for));
}

}  // namespace

std::string emit(const program& p) {
  require_outputs(p, "print");
  return writer(p).executable();
}

function_code emit_function(const program& p, const std::string& name) {
  require_outputs(p, "return");
  const signature s = signature_of(p, name);
  function_code f;
  f.header = header_of(p, s);
  f.source = writer(p).callable(s);
  return f;
}

}  // namespace tpal
