#include "tools/tpal/emit.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

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
  explicit writer(const program& p) : program_(p) {}

  std::string run() {
    text_ = std::string(native_runtime) + "\nnamespace tpal_native {\nnamespace {\n\n";
    tables();
    text_ += "}  // namespace\n\n";
    join_targets();
    function();
    text_ += "}  // namespace tpal_native\n";
    main();
    return std::move(text_);
  }

 private:
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    text_ += fmt::format(format, std::forward<T>(values)...) + "\n";
  }

  static std::string value(const operand& v) {
    switch (v.is) {
      case operand::kind::reg: return fmt::format("r{}", v.value);
      case operand::kind::data: return fmt::format("places[{}].begin", v.value);
      case operand::kind::length: return fmt::format("places[{}].length", v.value);
      default: return number(v.value);
    }
  }

  // An array needs an element.
  void tables() {
    line("place places[{}];", program_.arrays.size() + 1);
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
    text_ += "};\n";
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

  std::string all_registers() const {
    std::string all;
    for (std::size_t r = 0; r < program_.registers.size(); ++r) all += fmt::format("r{}, ", r);
    return all + "0";
  }

  void function() {
    line("[[gnu::noinline]] void execute(strand& s, number target, const number* registers) {{");
    line("  number record = 0;\n  int at = 0;  // the line of what goes on by a number");
    for (std::size_t r = 0; r < program_.registers.size(); ++r) line("  number r{0} = registers[{0}];", r);
    line("dispatch:\n  switch (target) {{");
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) line("    case {0}: goto b{0};", b);
    line("    default: fail(at, \"this leads to what is no label\");\n  }}");
    line("join: {{\n  number all[] = {{{}}};", all_registers());
    line("  target = s.join(record, all, at);\n  if (target < 0) return;");
    for (std::size_t r = 0; r < program_.registers.size(); ++r) line("  r{0} = all[{0}];", r);
    line("  goto dispatch;\n}}");
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      const block& from = program_.blocks[b];
      line("b{}:  // {}", b, from.name);
      if (from.note.is == annotation::kind::promotion_ready) {
        line("  SENNIT_PROMOTION_POINT(goto b{});", from.note.block);
      }
      for (const instruction& i : from.code) text_ += "  " + statement(i) + "\n";
    }
    line("}}\n");
  }

  static std::string go(const operand& v, int at) {
    if (v.is == operand::kind::label) return fmt::format("goto b{};", v.value);
    return fmt::format("{{ target = {}; at = {}; goto dispatch; }}", value(v), at);
  }

  std::string statement(const instruction& i) const {
    const std::string target = fmt::format("r{} = ", i.target);
    const std::string left = value(i.left);
    const std::string right = value(i.right);
    const int at = i.at.line;
    switch (i.code) {
      case opcode::move: return target + left + ";";
      case opcode::compute: return target + computed(i.op, left, right, at) + ";";
      case opcode::load:
        return fmt::format("{}cell(wrap(bits({}) + bits({})), {});", target, left, right, at);
      case opcode::store:
        return fmt::format("cell(wrap(bits({}) + bits({})), {}) = {};", left, right, at, value(i.stored));
      case opcode::load_stack: return fmt::format("{}s.calls.at({}, {});", target, right, at);
      case opcode::store_stack: return fmt::format("s.calls.at({}, {}) = {};", right, at, value(i.stored));
      case opcode::if_jump: return fmt::format("if ({} == 0) {}", left, go(i.right, at));
      case opcode::jump: return go(i.left, at);
      case opcode::halt:
        return fmt::format("{{ const number all[] = {{{}}}; halt(all, places, outputs, {}); }}",
                           all_registers(), program_.outputs.size());
      case opcode::jralloc: return fmt::format("{}s.allocate({}, {});", target, left, at);
      case opcode::fork:
        return fmt::format("{{ const number all[] = {{{}}}; s.fork({}, {}, all, {}); }}", all_registers(),
                           left, right, at);
      case opcode::join: return fmt::format("record = {}; at = {}; goto join;", left, at);
      case opcode::snew: return fmt::format("s.calls.renew({});", at);
      case opcode::salloc: return fmt::format("s.calls.allocate({}, {});", left, at);
      case opcode::sfree: return fmt::format("s.calls.free({}, {});", left, at);
      case opcode::prmpush: return fmt::format("s.calls.push_mark({}, {});", right, at);
      case opcode::prmpop: return fmt::format("s.calls.pop_mark({}, {});", right, at);
      case opcode::prmempty: return target + "s.calls.no_marks();";
      case opcode::prmsplit: return fmt::format("{}s.calls.split_mark({});", target, at);
    }
    return "";
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

  void main() {
    line("\nint main(int argc, char** argv) {{\n  using namespace tpal_native;\n  file = {};",
         quoted(program_.file));
    line("  std::vector<input> inputs = {{");
    for (const input& i : program_.inputs) {
      line("    {{{}, {}, {}, {}}},", quoted(program_.registers[i.target]), i.target, i.otherwise.has_value(),
           number(i.otherwise.value_or(0)));
    }
    line("  }};\n  const unsigned workers = read_arguments(argc, argv, inputs);");
    line("  std::vector<number> registers({});", program_.registers.size() + 1);
    line("  for (const input& i : inputs) registers[static_cast<std::size_t>(i.target)] = i.value;");
    line("  std::vector<number> cells;");
    for (std::size_t i = 0; i < program_.arrays.size(); ++i) {
      const data& d = program_.arrays[i];
      if (d.zeros.empty()) {
        line("  add_cells(cells, places[{0}], cells{0}, {1});", i, d.cells.size());
        continue;
      }
      std::string factors;
      for (const operand& v : d.zeros) {
        factors += v.is == operand::kind::reg ? fmt::format("registers[{}], ", v.value) : value(v) + ", ";
      }
      line("  add_zeros(cells, places[{}], {{{}}}, {});", i, factors, d.at.line);
    }
    line("  start(cells, registers.data(), workers);\n}}");
  }

  const program& program_;
  std::string text_;
};

}  // namespace

std::string emit(const program& p) {
  if (p.outputs.empty()) {
    throw std::invalid_argument(
        fmt::format("{} has no outputs to print; name registers or data by .output", p.file));
  }
  return writer(p).run();
}

}  // namespace tpal
