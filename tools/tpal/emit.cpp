#include "tools/tpal/emit.hpp"

#include "tools/tpal/doubles.hpp"
#include "tools/tpal/flow.hpp"
#include "tools/tpal/liveness.hpp"
#include "tools/tpal/register_types.hpp"
#include "tools/tpal/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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
  explicit writer(const program& p) : program_(p), names_(register_names(p)), kinds_(p), live_(p) {}

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

  bool is_double(const operand& v) const {
    return v.is == operand::kind::floating ||
           (v.is == operand::kind::reg && kinds_.holds_doubles(static_cast<std::size_t>(v.value)));
  }

  // As C++ has it: a double, or a number of 64 bits.
  std::string as_it_is(const operand& v) const {
    switch (v.is) {
      case operand::kind::reg: return names_[static_cast<std::size_t>(v.value)];
      case operand::kind::data: return fmt::format("places[{}].begin", v.value);
      case operand::kind::length: return fmt::format("places[{}].length", v.value);
      case operand::kind::floating: return in_decimal(double_of(v.value));
      default: return number(v.value);
    }
  }
  // As a number, which has a double's bits.
  std::string value(const operand& v) const {
    return is_double(v) ? fmt::format("bits_of({})", as_it_is(v)) : as_it_is(v);
  }
  std::string floating(const operand& v) const {
    return is_double(v) ? as_it_is(v) : fmt::format("double_of({})", as_it_is(v));
  }
  // To the target, from a number or from a double.
  std::string set(std::size_t target, const std::string& from, bool from_double) const {
    const bool to_double = kinds_.holds_doubles(target);
    const char* const as = to_double == from_double ? "" : to_double ? "double_of" : "bits_of";
    return fmt::format("{} = {}({});", names_[target], as, from);
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
      text_ += fmt::format(
          "{{{}, {}, {}, {}}}, ",
          quoted(is_register ? program_.registers[which] : program_.arrays[which].name), is_register,
          is_register ? kinds_.holds_doubles(which) : program_.arrays[which].of == type::floating, which);
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
      text_ += fmt::format("{{{}, {}, {}, {}}}, ", b, note.block,
                           note.transfers.empty() ? "nullptr" : fmt::format("transfers{}", b),
                           note.transfers.size());
    }
    text_ += "{-1, -1, nullptr, 0}};\n";
    line("const int join_target_count = {};", count);
    line("const int register_count = {};", program_.registers.size());
    line("const int block_count = {};\n", program_.blocks.size());
  }

  // By a name of its own, as headers may declare the function in another way.
  void declaration(std::size_t index) {
    const tpal::function& f = program_.functions[index];
    const auto name_of = [](type t) { return t == type::floating ? "double" : "number"; };
    std::vector<std::string_view> parameters;
    for (const type t : f.parameters) parameters.emplace_back(name_of(t));
    line("extern \"C\" {} extern_{}({}) asm({});", f.returns ? name_of(*f.returns) : "void", index,
         fmt::join(parameters, ", "), quoted(f.name));
  }

  // For an array of all registers: zeros for those that nobody reads there, so that the compiler need not keep them.
  std::string registers(const liveness::set& live) const {
    std::string all;
    for (std::size_t r = 0; r < names_.size(); ++r) {
      all += live[r] ? value({operand::kind::reg, static_cast<std::int64_t>(r)}) + ", " : std::string("0, ");
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
      line("  {} {}", kinds_.holds_doubles(r) ? "double" : "number",
           set(r, fmt::format("registers[{}]", r), false));
    }
    std::string labels;
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) labels += fmt::format("&&b{}, ", b);
    line("  [[maybe_unused]] static const void* const labels[] = {{{}}};", labels);
    line("dispatch:\n  switch (target) {{");
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) line("    case {0}: goto b{0};", b);
    line("    default: fail(at, \"this leads to what is no label\");\n  }}");
    line("join: {{\n  number all[] = {{{}}};", registers(live_.before_join()));
    line("  target = s.join(record, all, at);\n  if (target < 0) return;");
    const liveness::set live = live_.after_join();
    for (std::size_t r = 0; r < program_.registers.size(); ++r) {
      if (live[r]) line("  {}", set(r, fmt::format("all[{}]", r), false));
    }
    line("  goto dispatch;\n}}");
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      const block& from = program_.blocks[b];
      lines_of(from.at);
      line("b{}:  // {}", b, from.name);
      if (from.note.is == annotation::kind::promotion_ready) {
        line("  SENNIT_PROMOTION_POINT(goto b{});", from.note.block);
      }
      known_cells_ = 0;
      for (const instruction& i : from.code) {
        lines_of(i.at);
        text_ += "  " + statement(i) + "\n";
      }
    }
    own_lines();
    line("}}\n");
  }

  std::string go(const operand& v, int at) const {
    if (v.is == operand::kind::label) return fmt::format("goto b{};", v.value);
    return fmt::format("{{ target = {}; if (bits(target) >= {}) [[unlikely]] fail({}, \"this leads to what "
                       "is no label\"); goto "
                       "*labels[target]; }}",
                       value(v), program_.blocks.size(), at);
  }

  std::string statement(const instruction& i) {
    const auto number = [&](const std::string& from) { return set(i.target, from, false); };
    const std::string left = value(i.left);
    const std::string right = value(i.right);
    const int at = i.at.line;
    switch (i.code) {
      case opcode::move: return set(i.target, as_it_is(i.left), is_double(i.left));
      case opcode::compute:
        if (is_of_doubles(i.op)) return computed(i);
        return number(computed(i.op, left, right, at));
      case opcode::to_double: return set(i.target, fmt::format("static_cast<double>({})", left), true);
      case opcode::to_int: return number(fmt::format("to_int({}, {})", floating(i.left), at));
      case opcode::load:
        return number(fmt::format("heap.at(wrap(bits({}) + bits({})), {})", left, right, at));
      case opcode::store:
        return fmt::format("heap.at(wrap(bits({}) + bits({})), {}) = {};", left, right, at, value(i.stored));
      case opcode::load_stack: return number(stack_cell(i));
      case opcode::store_stack: return fmt::format("{} = {};", stack_cell(i), value(i.stored));
      case opcode::if_jump: return fmt::format("if ({} == 0) {}", left, go(i.right, at));
      case opcode::jump: return go(i.left, at);
      case opcode::halt:
        return fmt::format("{{ const number all[] = {{{}}}; halt(s.all, all); return; }}",
                           registers(live_.at_halt()));
      case opcode::jralloc: return number(fmt::format("s.allocate({}, {})", left, at));
      case opcode::fork:
        return fmt::format("{{ const number all[] = {{{}}}; s.fork({}, {}, all, {}); }}",
                           registers(live_.at(i.right)), left, right, at);
      case opcode::join: return fmt::format("record = {}; at = {}; goto join;", left, at);
      case opcode::snew:
        known_cells_ = 0;
        return fmt::format(
            "{{ const stack_top top = s.calls.renew(marks, {}); sp = top.sp; marks = top.marks; }}", at);
      case opcode::salloc: return allocated(i);
      case opcode::sfree: return freed(i);
      case opcode::prmpush:
        return fmt::format("{{ const std::uintptr_t cell = address(&{}); if (cell >= marks[-1]) [[unlikely]] "
                           "fail({}, \"prmpush of a cell "
                           "older than the newest mark\"); *marks++ = cell; }}",
                           stack_cell(i), at);
      case opcode::prmpop: return popped(i);
      case opcode::prmempty: return number("marks == s.calls.first ? 0 : 1");
      case opcode::prmsplit:
        return fmt::format(
            "{{ const stack::split taken = s.calls.split_mark({{sp, marks}}, {}); marks = taken.marks; {} }}",
            at, number("taken.offset"));
      case opcode::call:
        return set(i.target, called(i), program_.functions[i.function].returns == type::floating);
      case opcode::call_only: return called(i) + ";";
    }
    return "";
  }

  // mem[sp + ...], after a check where the block has not shown yet that the cell is there.
  std::string stack_cell(const instruction& i) {
    if (i.right.is != operand::kind::number || i.right.value < 0 || i.right.value >= most_known) {
      return fmt::format("s.calls.at(sp, {}, {})", value(i.right), i.at.line);
    }
    const bool is_known = i.right.value < known_cells_;
    known_cells_ = std::max(known_cells_, i.right.value + 1);
    if (is_known) return fmt::format("sp[{}]", i.right.value);
    return fmt::format("sp[sp + {0} < s.calls.end ? {0} : (s.calls.outside({1}), 0)]", i.right.value,
                       i.at.line);
  }

  std::string allocated(const instruction& i) {
    constexpr const char* room = "if ({0} sp - s.calls.limit < count) [[unlikely]] {{ const stack_top top = "
                                 "s.calls.grow({{sp, marks}}, count, {1}); sp = "
                                 "top.sp; marks = top.marks; }} sp -= count;";
    if (i.left.is != operand::kind::number || i.left.value >= most_known) {
      known_cells_ = 0;
      return fmt::format("{{ const number count = {}; {} std::fill_n(sp, count, 0); }}", value(i.left),
                         fmt::format(room, "count < 0 ||", i.at.line));
    }
    known_cells_ += i.left.value;
    std::string zeros;
    for (std::int64_t k = 0; k < i.left.value; ++k) zeros += fmt::format(" sp[{}] = 0;", k);
    return fmt::format("{{ constexpr number count = {}; {}{} }}", value(i.left),
                       fmt::format(room, "", i.at.line), zeros);
  }

  std::string freed(const instruction& i) {
    if (i.left.is != operand::kind::number || i.left.value >= most_known) {
      known_cells_ = 0;
      return fmt::format("sp = s.calls.free({{sp, marks}}, {}, {});", value(i.left), i.at.line);
    }
    known_cells_ = std::max<std::int64_t>(known_cells_ - i.left.value, 0);
    // Without a mark, the newest one counts as older than all cells.
    return fmt::format("if (marks[-1] < address(sp + {0})) [[unlikely]] s.calls.bad_free({{sp, marks}}, {0}, "
                       "{1}); sp += {0};",
                       i.left.value, i.at.line);
  }

  std::string popped(const instruction& i) {
    if (i.right.is == operand::kind::number)
      known_cells_ = std::max(known_cells_, std::min(i.right.value + 1, most_known));
    return fmt::format("{{ number* const cell = sp + {0}; if (marks[-1] != address(cell)) [[unlikely]] "
                       "fail({1}, \"prmpop of no newest mark\"); "
                       "--marks; *cell = 0; }}",
                       value(i.right), i.at.line);
  }

  std::string called(const instruction& i) const {
    std::vector<std::string> arguments;
    const std::vector<type>& types = program_.functions[i.function].parameters;
    for (std::size_t k = 0; k < types.size(); ++k) {
      arguments.push_back(types[k] == type::floating ? floating(i.arguments[k]) : value(i.arguments[k]));
    }
    return fmt::format("extern_{}({})", i.function, fmt::join(arguments, ", "));
  }

  // Of doubles.
  std::string computed(const instruction& i) const {
    static constexpr std::array<const char*, 10> signs{"+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!="};
    const auto which = static_cast<std::size_t>(i.op) - static_cast<std::size_t>(operation::double_add);
    const std::string e = fmt::format("{} {} {}", floating(i.left), signs[which], floating(i.right));
    return gives_double(i.op) ? set(i.target, e, true) : set(i.target, fmt::format("({} ? 0 : 1)", e), false);
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
                                                   : value(v) + ", ";
      }
      line("  all.add_zeros({{{}}}, {});", factors, d.at.line);
    }
  }

  void main() {
    line("\nint main(int argc, char** argv) {{\n  using namespace tpal_native;");
    line("  std::vector<input> inputs = {{");
    for (const input& i : program_.inputs) {
      line("    {{{}, {}, {}, {}, {}}},", quoted(program_.registers[i.target]), i.target,
           i.of == type::floating, i.otherwise.has_value(), number(i.otherwise.value_or(0)));
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
        line("  out.{} = {}(all.result[{}]);", s.outputs[i], is_double(v) ? "double_of" : "number", v.value);
      } else {
        const bool are_doubles = program_.arrays[static_cast<std::size_t>(v.value)].of == type::floating;
        line("  for (const number n : all.cells_of({})) out.{}.push_back({}(n));", v.value, s.outputs[i],
             are_doubles ? "double_of" : "number");
      }
    }
    line("  return out;\n}}");
  }

  const program& program_;
  const std::vector<std::string> names_;  // of the registers
  const kinds kinds_;
  const liveness live_;
  static constexpr std::int64_t most_known = 64;
  std::int64_t known_cells_ = 0;  // of the stack, at least, at this place of the block
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
