// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/emit.hpp"

#include "tools/tpal/expressions.hpp"
#include "tools/tpal/liveness.hpp"
#include "tools/tpal/register_types.hpp"
#include "tools/tpal/signature.hpp"
#include "tools/tpal/stack_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tpal {
namespace {

class writer {
 public:
  explicit writer(const program& p) : program_(p), live_(p), words_(p), stack_(p, words_) {}

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
    line("const char* const file = {};", string_of_cpp(program_.file));
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
  void lines_of(position at) { line("#line {} {}", at.line, string_of_cpp(program_.file)); }
  // What belongs to no line of the program is in a file that nobody has.
  void own_lines() {
    line("#line {} {}", std::count(text_.begin(), text_.end(), '\n') + 2,
         string_of_cpp(program_.file + ".cpp"));
  }

  // An array needs an element.
  void tables() {
    for (std::size_t i = 0; i < program_.arrays.size(); ++i) {
      const data& d = program_.arrays[i];
      if (!d.zeros.empty()) continue;
      std::string cells;
      for (const std::int64_t c : d.cells) cells += number_of_cpp(c) + ", ";
      line("const number cells{}[] = {{{}0}};", i, cells);
    }
    text_ += "const output outputs[] = {";
    for (const operand& v : program_.outputs) {
      const auto which = static_cast<std::size_t>(v.value);
      const bool is_register = v.is == operand::kind::reg;
      text_ += fmt::format(
          "{{{}, {}, {}, {}}}, ",
          string_of_cpp(is_register ? program_.registers[which] : program_.arrays[which].name), is_register,
          is_register ? words_.holds_doubles(which) : program_.arrays[which].of == type::floating, which);
    }
    line("{{\"\", false, false, 0}}}};\nconst int output_count = {};", program_.outputs.size());
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
      text_ += fmt::format("{{{}, {}, {}, {}}}, ", words_.labels().of(b), words_.labels().of(note.block),
                           note.transfers.empty() ? "nullptr" : fmt::format("transfers{}", b),
                           note.transfers.size());
    }
    text_ += "{-1, -1, nullptr, 0}};\n";
    line("const int join_target_count = {};", count);
    line("const int register_count = {};", program_.registers.size());
    line("const number first_block = {};", words_.labels().of(0));
    line("const number label_count = {};\n", words_.labels().values());
  }

  // By a name of its own, as headers may declare the function in another way.
  void declaration(std::size_t index) {
    const tpal::function& f = program_.functions[index];
    const auto name_of = [](type t) { return t == type::floating ? "double" : "number"; };
    std::vector<std::string_view> parameters;
    for (const type t : f.parameters) parameters.emplace_back(name_of(t));
    line("extern \"C\" {} extern_{}({}) asm({});", f.returns ? name_of(*f.returns) : "void", index,
         fmt::join(parameters, ", "), string_of_cpp(f.name));
  }

  // For an array of all registers: zeros for those that nobody reads there, so that the compiler need not keep them.
  std::string registers(const liveness::set& live) const {
    std::string all;
    for (std::size_t r = 0; r < program_.registers.size(); ++r) {
      all += live[r] ? words_.value({operand::kind::reg, static_cast<std::int64_t>(r)}) + ", "
                     : std::string("0, ");
    }
    return all + "0";
  }

  void function() {
    line("[[gnu::noinline]] void execute(strand& s, number target, const number* registers) {{");
    line("  [[maybe_unused]] const cells heap(s.all);");
    line("  [[maybe_unused]] const place* const places = s.all.places.data();");
    line("  number record = 0;\n  int at = 0;  // the line of the join");
    line("  [[maybe_unused]] number* sp = nullptr;\n  [[maybe_unused]] std::uintptr_t* marks = "
         "s.calls.first;");
    for (std::size_t r = 0; r < program_.registers.size(); ++r) {
      line("  {} {}", words_.holds_doubles(r) ? "double" : "number",
           words_.set(r, fmt::format("registers[{}]", r), false));
    }
    labels();
    line("join: {{\n  number all[] = {{{}}};", registers(live_.before_join()));
    line("  target = s.join(record, all, at);\n  if (target < 0) return;");
    const liveness::set live = live_.after_join();
    for (std::size_t r = 0; r < program_.registers.size(); ++r) {
      if (live[r]) line("  {}", words_.set(r, fmt::format("all[{}]", r), false));
    }
    line("  goto dispatch;\n}}");
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) version(b, true);
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      if (stack_.has_two_versions(b)) version(b, false);
    }
    own_lines();
    line("}}\n");
  }

  // Of a block; the sure one, if there are two.
  void version(std::size_t b, bool is_sure) {
    const block& from = program_.blocks[b];
    lines_of(from.at);
    if (!is_sure) {
      line("b{}_unsure: asm(\"\" : \"+r\"(sp));  // what was computed for the sure version need not be kept",
           b);
    } else if (stack_.has_two_versions(b)) {
      line("b{0}: if (!({1})) [[unlikely]] goto b{0}_unsure; b{0}_sure:  // {2}", b, stack_.question(b),
           from.name);
    } else {
      line("b{}:  // {}", b, from.name);
    }
    if (from.note.is == annotation::kind::promotion_ready)
      line("  SENNIT_PROMOTION_POINT(goto b{});", from.note.block);
    stack_.begin(b, is_sure);
    for (const instruction& i : from.code) {
      lines_of(i.at);
      text_ += "  " + statement(i) + "\n";
    }
  }

  // The table has an element even if no label is a value. Compilers do not know where it is: they would find that out again at
  // each jump.
  void labels() {
    std::string table;
    for (std::size_t n = 0; n < words_.labels().values(); ++n)
      table += fmt::format("&&b{}, ", words_.labels().blocks()[n]);
    line("  [[maybe_unused]] static const void* const table[] = {{{}nullptr}};", table);
    line("  [[maybe_unused]] const void* const* labels = table;\n  asm(\"\" : \"+r\"(labels));");
    line("[[unlikely]] dispatch:\n  switch (target) {{");
    for (const std::size_t b : words_.labels().blocks())
      line("    case {}: goto b{};", words_.labels().of(b), b);
    line("    default: fail(at, \"this leads to what is no label\");\n  }}");
  }

  std::string go(const operand& v, int at) const {
    if (v.is == operand::kind::label) {
      const bool is_sure = stack_.is_sure_at(static_cast<std::size_t>(v.value));
      return fmt::format("goto b{}{};", v.value, is_sure ? "_sure" : "");
    }
    return fmt::format("{{ target = label_of({}, {}); goto *labels[target]; }}", words_.value(v), at);
  }

  std::string statement(const instruction& i) {
    if (stack_code::is_for(i.code)) return stack_.statement(i);
    stack_.pass();
    return other_statement(i);
  }

  std::string other_statement(const instruction& i) const {
    const std::string left = words_.value(i.left);
    const std::string right = words_.value(i.right);
    const int at = i.at.line;
    switch (i.code) {
      case opcode::move: return words_.move(i);
      case opcode::compute: return words_.compute(i);
      case opcode::to_double: return words_.set(i.target, fmt::format("static_cast<double>({})", left), true);
      case opcode::to_int:
        return words_.set(i.target, fmt::format("to_int({}, {})", words_.floating(i.left), at), false);
      case opcode::load:
        return words_.set(i.target, fmt::format("heap.at(wrap(bits({}) + bits({})), {})", left, right, at),
                          false);
      case opcode::store:
        return fmt::format("heap.at(wrap(bits({}) + bits({})), {}) = {};", left, right, at,
                           words_.value(i.stored));
      case opcode::if_jump: return fmt::format("if ({} == 0) {}", left, go(i.right, at));
      case opcode::jump: return go(i.left, at);
      case opcode::halt:
        return fmt::format("{{ const number all[] = {{{}}}; halt(s.all, all); return; }}",
                           registers(live_.at_halt()));
      case opcode::jralloc: return words_.set(i.target, fmt::format("s.allocate({}, {})", left, at), false);
      case opcode::fork:
        return fmt::format(
            "{{ const number all[] = {{{}}}; s.fork({}, {}, all, {}); }}", registers(live_.at(i.right)), left,
            i.right.is == operand::kind::label ? right : fmt::format("label_of({}, {})", right, at), at);
      case opcode::join: return fmt::format("record = {}; at = {}; goto join;", left, at);
      case opcode::call:
      case opcode::call_only: return words_.call(i);
      default: return "";
    }
  }

  // Into the heap of `all`, in the order of the text.
  void data_cells(const signature* s) {
    for (std::size_t i = 0; i < program_.arrays.size(); ++i) {
      const data& d = program_.arrays[i];
      if (d.zeros.empty()) {
        const std::string own = fmt::format("std::span<const number>(cells{}, {})", i, d.cells.size());
        if (s != nullptr) line("  if (in.{0}) all.add_cells(*in.{0});\n  else", s->arrays[i]);
        line("  all.add_cells({});", own);
        continue;
      }
      std::string factors;
      for (const operand& v : d.zeros) {
        factors += v.is == operand::kind::reg      ? fmt::format("registers[{}], ", v.value)
                   : v.is == operand::kind::length ? fmt::format("all.places[{}].length, ", v.value)
                                                   : words_.value(v) + ", ";
      }
      line("  all.add_zeros({{{}}}, {});", factors, d.at.line);
    }
  }

  void main() {
    line("\nint main(int argc, char** argv) {{\n  using namespace tpal_native;");
    line("  std::vector<input> inputs = {{");
    for (const input& i : program_.inputs) {
      line("    {{{}, {}, {}, {}, {}}},", string_of_cpp(program_.registers[i.target]), i.target,
           i.of == type::floating, i.otherwise.has_value(), number_of_cpp(i.otherwise.value_or(0)));
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
      line("  registers[{}] = bits_of(in.{});", program_.inputs[i].target, s.inputs[i]);
    }
    line("  machine all;");
    data_cells(&s);
    line("  start_function(all, registers.data());\n  {}_outputs out;", s.name);
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
      const operand& v = program_.outputs[i];
      if (v.is == operand::kind::reg) {
        line("  out.{} = {}(all.result[{}]);", s.outputs[i], words_.is_double(v) ? "double_of" : "number",
             v.value);
      } else {
        const bool are_doubles = program_.arrays[static_cast<std::size_t>(v.value)].of == type::floating;
        line("  for (const number n : all.cells_of({})) out.{}.push_back({}(n));", v.value, s.outputs[i],
             are_doubles ? "double_of" : "number");
      }
    }
    line("  return out;\n}}");
  }

  const program& program_;
  const liveness live_;
  const expressions words_;
  stack_code stack_;
  std::string text_;
};

void require_outputs(const program& p, std::string_view what_for) {
  if (p.outputs.empty()) {
    throw std::invalid_argument(
        fmt::format("{} has no outputs to {}; name registers or data by .output", p.file, what_for));
  }
  const kinds known(p);
  const auto has_doubles = [&] {
    for (std::size_t r = 0; r < p.registers.size(); ++r) {
      if (known.holds_doubles(r)) return true;
    }
    return std::any_of(p.arrays.begin(), p.arrays.end(),
                       [](const data& d) { return d.of == type::floating; });
  };
  for (const operand& v : p.outputs) {
    const auto r = static_cast<std::size_t>(v.value);
    if (v.is != operand::kind::reg || !(known.is_mixed(r) || (known.is_unknown(r) && has_doubles())))
      continue;
    throw std::invalid_argument(fmt::format(
        "{0}:{1}: native code has to know whether the output '{2}' is a double; give it a register that "
        "holds {3}",
        p.file, v.at.line, p.registers[r],
        known.is_mixed(r)
            ? std::string("nothing else")
            : fmt::format("a computed value, or say '.output {} : double' or ': int'", p.registers[r])));
  }
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
