// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/parser.hpp"

#include "tools/tpal/check.hpp"
#include "tools/tpal/cursor.hpp"
#include "tools/tpal/data.hpp"
#include "tools/tpal/doubles.hpp"
#include "tools/tpal/files.hpp"
#include "tools/tpal/names.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tpal {
namespace {

constexpr std::array<std::pair<std::string_view, operation>, 26> operations{
    {{"+.", operation::double_add},
     {"-.", operation::double_subtract},
     {"*.", operation::double_multiply},
     {"/.", operation::double_divide},
     {"<.", operation::double_less},
     {"<=.", operation::double_less_equal},
     {">.", operation::double_greater},
     {">=.", operation::double_greater_equal},
     {"=.", operation::double_equal},
     {"!=.", operation::double_not_equal},
     {"+", operation::add},
     {"-", operation::subtract},
     {"*", operation::multiply},
     {"/", operation::divide},
     {"%", operation::remainder},
     {"<", operation::less},
     {"<=", operation::less_equal},
     {">", operation::greater},
     {">=", operation::greater_equal},
     {"=", operation::equal},
     {"!=", operation::not_equal},
     {"&", operation::bit_and},
     {"|", operation::bit_or},
     {"^", operation::bit_xor},
     {"<<", operation::shift_left},
     {">>", operation::shift_right}}};

// As many as registers pass in C.
constexpr std::size_t most_parameters = 6;

class parser : private cursor {
 public:
  parser(std::string_view text, const std::string& file, std::vector<complaint>& complaints)
      : cursor(text, complaints), names_(tokens_, complaints) {
    program_.file = file;
    program_.lines = lines_of(text);
  }

  program run() {
    while (peek().is != token::kind::end) {
      try {
        statement();
      } catch (const unexpected&) {
        while (!at_end_of_statement()) ++at_;
      }
    }
    if (program_.blocks.empty() && complaints_.empty()) {
      complain(peek().at, "expected a block, 'label: [.] ...', found the end of the file");
    }
    program_.registers = std::move(names_).registers();
    return std::move(program_);
  }

 private:
  void statement() {
    if (peek().is == token::kind::line_end || is(";")) {
      ++at_;
      return;
    }
    if (peek().is == token::kind::directive) {
      directive();
    } else if (peek().is == token::kind::name && peek(1).is == token::kind::symbol && peek(1).text == ":") {
      label();
      return;
    } else {
      instruction_();
    }
    if (!at_end_of_statement()) expected("';' or the end of the line");
  }

  // Declarations.

  void directive() {
    const token& word = take();
    if (word.text == "input") {
      do input_(word.at);
      while (skip(","));
    } else if (word.text == "output") {
      do output_();
      while (skip(","));
    } else if (word.text == "data") {
      data& d = declare(word.at);
      expect("=", "and the cells");
      cells_of(d);
    } else if (word.text == "zero") {
      data& d = declare(word.at);
      d.of = type_said().value_or(type::integer);
      expect("=", "and how many cells");
      do d.zeros.push_back(value());
      while (skip("*"));
    } else if (word.text == "extern") {
      extern_(word.at);
    } else {
      complain(word.at, fmt::format("there is no directive '.{}': expected .input, .output, .data, .zero or "
                                    ".extern",
                                    word.text));
      throw unexpected{};
    }
  }

  void input_(position at) {
    input i{new_register("a register"), {}, at};
    const std::optional<type> said = type_said();
    if (skip("=")) {
      const operand v = literal(said);
      i.otherwise = v.value;
      i.of = type_of(v);
    } else {
      i.of = said.value_or(type::integer);
    }
    program_.inputs.push_back(i);
  }

  void output_() {
    const token& name = peek();
    program_.outputs.push_back(value());
    const operand::kind is = program_.outputs.back().is;
    if (is != operand::kind::reg && is != operand::kind::data) {
      complain(name.at, fmt::format("expected a register or data to print, found {}", name_of(name)));
    }
    const std::optional<type> said = type_said();
    if (said && is == operand::kind::reg) {
      program_.output_types.emplace_back(static_cast<std::size_t>(program_.outputs.back().value), *said);
    }
  }

  data& declare(position at) {
    if (peek().is != token::kind::name || is_reserved(peek().text)) expected("a name for the data");
    const token& name = take();
    data d{name.text, {}, {}, at};
    // A second one of the name was complained of; it only keeps the numbering right to be left out.
    if (names_.data(name.text) != program_.arrays.size()) return spare_ = d;
    program_.arrays.push_back(std::move(d));
    return program_.arrays.back();
  }

  // .extern f(int, int) -> int
  void extern_(position at) {
    if (peek().is != token::kind::name || is_reserved(peek().text)) expected("a name for the function");
    const token& name = take();
    function f{name.text, {}, {}, at};
    if (f.name.find('-') != std::string::npos) {
      complain(name.at, fmt::format("'{}' is no name of a C function: it has a hyphen", f.name));
    }
    expect("(", "and the types of the parameters");
    while (!skip(")")) {
      if (!f.parameters.empty()) expect(",", "or ')'");
      f.parameters.push_back(type_());
    }
    if (f.parameters.size() > most_parameters) {
      complain(name.at, fmt::format("'{}' has {} parameters; {} are possible", f.name, f.parameters.size(),
                                    most_parameters));
    }
    if (skip("->")) f.returns = type_();
    // As in declare().
    if (names_.function(name.text) == program_.functions.size()) program_.functions.push_back(std::move(f));
  }

  type type_() {
    if (!is_word("int") && !is_word("double")) expected("a type, int or double");
    return take().text == "int" ? type::integer : type::floating;
  }
  // After a name: a colon and a type, or nothing.
  std::optional<type> type_said() {
    if (!skip(":")) return std::nullopt;
    return type_();
  }

  static type type_of(const operand& v) {
    return v.is == operand::kind::floating ? type::floating : type::integer;
  }
  type type_of_literal() const {
    return peek(is("-") ? 1 : 0).is == token::kind::floating ? type::floating : type::integer;
  }
  // A number or a double, which has to be of the type, if there is one.
  operand literal(std::optional<type> wanted) {
    operand v;
    v.at = peek().at;
    const type found = type_of_literal();
    if (wanted && *wanted != found) {
      expected(*wanted == type::floating ? "a double, such as 2.0" : "a number without a point");
    }
    if (found == type::integer) {
      v.value = number();
      return v;
    }
    const bool negative = skip("-");
    const double d = double_of(static_cast<std::int64_t>(take().number));
    v.is = operand::kind::floating;
    v.value = bits_of(negative ? -d : d);
    return v;
  }

  void cells_of(data& d) {
    do {
      while (peek().is == token::kind::line_end) ++at_;
      const position at = peek().at;
      if (d.cells.empty() && type_of_literal() == type::floating) d.of = type::floating;
      if (d.of == type::floating) {
        d.cells.push_back(literal(type::floating).value);
        continue;
      }
      const std::int64_t first = number();
      const std::int64_t last = skip("..") ? number() : first;
      if (!append_range(d.cells, first, last)) {
        complain(at, fmt::format("a range goes upwards, and data has no more than {} cells", most_cells));
      }
    } while (skip(","));
  }

  std::int64_t number() {
    const bool negative = skip("-");
    if (peek().is != token::kind::number) {
      expected(peek().is == token::kind::floating ? "a number without a point" : "a number");
    }
    const token& t = take();
    if (!negative && t.number == std::uint64_t{1} << 63U && t.text[0] != '0') {
      complain(t.at, fmt::format("{} does not fit into 64 bits", t.text));
    }
    return static_cast<std::int64_t>(negative ? -t.number : t.number);
  }

  // Blocks.

  void label() {
    const token& name = take();
    if (is_reserved(name.text)) {
      complain(name.at, fmt::format("'{}' is an instruction's word and cannot be a label", name.text));
    }
    ++at_;
    if (names_.block(name.text) != program_.blocks.size()) {
      duplicate_ = {name.text, {}, {}, name.at};
      block_ = &duplicate_;
    } else {
      program_.blocks.push_back({name.text, {}, {}, name.at});
      block_ = &program_.blocks.back();
    }
    if (!is("[")) return;
    try {
      annotation_(block_->note);
    } catch (const unexpected&) {
      // Its semicolons end no statement.
      while (peek().is != token::kind::line_end && !is("]")) ++at_;
      skip("]");
    }
  }

  void annotation_(annotation& note) {
    note.at = take().at;
    if (is_word("prppt")) {
      ++at_;
      note.is = annotation::kind::promotion_ready;
      note.block = label_name("the handler's label");
    } else if (is_word("jtppt")) {
      ++at_;
      note.is = annotation::kind::join_target;
      note.policy = policy();
      expect(";", "after the policy");
      transfers(note.transfers);
      expect(";", "after the registers");
      note.block = label_name("the combining block's label");
    } else if (!skip(".") && !is("]")) {
      expected("'.', 'prppt' or 'jtppt'");
    }
    expect("]", "at the annotation's end");
  }

  join_policy policy() {
    if (!is_word("assoc") && !is_word("assoc-comm")) expected("'assoc' or 'assoc-comm'");
    return take().text == "assoc" ? join_policy::assoc : join_policy::assoc_comm;
  }

  void transfers(std::vector<transfer>& list) {
    expect("{", "and the registers that the child hands over, {r -> r2}");
    while (!skip("}")) {
      if (!list.empty()) expect(",", "or '}'");
      transfer t;
      t.at = peek().at;
      t.from = new_register("a register of the child");
      expect("->", "and the parent's register");
      t.to = new_register("a register of the parent");
      list.push_back(t);
    }
  }

  std::size_t label_name(std::string_view what) {
    if (peek().is != token::kind::name) expected(what);
    const token& name = take();
    const std::optional<std::size_t> found = names_.block(name.text);
    if (!found) complain(name.at, fmt::format("there is no label '{}'", name.text));
    return found.value_or(0);
  }

  // Instructions.

  void instruction_() {
    instruction i;
    i.at = peek().at;
    if (peek().is != token::kind::name) expected("an instruction, a label or a directive");
    const std::string& word = peek().text;
    if (word == "jump" || word == "join" || word == "salloc" || word == "sfree") {
      ++at_;
      i.code = word == "jump"     ? opcode::jump
               : word == "join"   ? opcode::join
               : word == "salloc" ? opcode::salloc
                                  : opcode::sfree;
      i.left = value();
    } else if (word == "if-jump" || word == "fork") {
      ++at_;
      i.code = word == "fork" ? opcode::fork : opcode::if_jump;
      i.left = register_(word == "fork" ? "a register with a join record" : "a register to test");
      expect(",", "and a label");
      i.right = value();
    } else if (word == "call") {
      i.code = opcode::call_only;
      call(i);
    } else if (word == "halt") {
      ++at_;
      i.code = opcode::halt;
    } else if (word == "prmpush" || word == "prmpop") {
      ++at_;
      i.code = word == "prmpush" ? opcode::prmpush : opcode::prmpop;
      if (!address(i)) expected("a cell of the stack, mem[sp + 0]");
    } else if (word == "mem") {
      i.code = address(i) ? opcode::store_stack : opcode::store;
      expect(":=", "and what to store");
      i.stored = value();
    } else if (word == "sp") {
      ++at_;
      expect(":=", "and 'snew': the stack pointer can be used otherwise in mem[sp + 0] only");
      if (!is_word("snew")) expected("'snew'");
      ++at_;
      i.code = opcode::snew;
    } else {
      i.target = new_register("an instruction, a label or a directive");
      expect(":=", "after the register");
      assigned(i);
    }
    add(i);
  }

  void assigned(instruction& i) {
    if (is_word("jralloc")) {
      ++at_;
      i.code = opcode::jralloc;
      i.left = value();
    } else if (is_word("call")) {
      i.code = opcode::call;
      call(i);
    } else if (is_word("double") || is_word("int")) {
      i.code = take().text == "double" ? opcode::to_double : opcode::to_int;
      i.left = value();
    } else if (is_word("prmempty") || is_word("prmsplit")) {
      i.code = take().text == "prmempty" ? opcode::prmempty : opcode::prmsplit;
    } else if (is_word("mem")) {
      i.code = address(i) ? opcode::load_stack : opcode::load;
    } else {
      i.code = opcode::move;
      i.left = value();
      if (at_end_of_statement()) return;
      for (const auto& [symbol, operation] : operations) {
        if (!skip(symbol)) continue;
        i.code = opcode::compute;
        i.op = operation;
        i.right = value();
        return;
      }
      expected("an operator, ';' or the end of the line");
    }
  }

  // call f(v, v)
  void call(instruction& i) {
    ++at_;
    if (peek().is != token::kind::name) expected("a function that .extern declares");
    const auto f = names_.function(peek().text);
    if (!f) expected("a function that .extern declares");
    ++at_;
    i.function = *f;
    expect("(", "and the arguments");
    while (!skip(")")) {
      if (!i.arguments.empty()) expect(",", "or ')'");
      i.arguments.push_back(value());
    }
  }

  // mem[v], mem[v + v] or mem[v - number]; whether it is in the stack.
  bool address(instruction& i) {
    if (!is_word("mem")) expected("'mem'");
    ++at_;
    expect("[", "and an address");
    const bool in_stack = is_word("sp");
    if (in_stack) {
      ++at_;
    } else {
      i.left = value();
    }
    i.right.at = peek().at;
    if (skip("+")) {
      i.right = value();
    } else if (is("-")) {
      i.right.value = number();
    }
    expect("]", "after the address");
    return in_stack;
  }

  operand value() {
    operand v;
    v.at = peek().at;
    if (peek().is == token::kind::number || peek().is == token::kind::floating || is("-")) {
      return literal(std::nullopt);
    }
    const bool length = skip("#");
    if (peek().is != token::kind::name) expected(length ? "data" : "a register, a number or a label");
    const std::string& name = peek().text;
    if (const auto d = names_.data(name)) {
      v.is = length ? operand::kind::length : operand::kind::data;
      v.value = static_cast<std::int64_t>(*d);
    } else if (length) {
      expected("data, which '#' counts the cells of");
    } else if (const auto b = names_.block(name)) {
      v.is = operand::kind::label;
      v.value = static_cast<std::int64_t>(*b);
    } else {
      return register_("a register, a number or a label");
    }
    ++at_;
    return v;
  }

  operand register_(std::string_view what) {
    const position at = peek().at;
    return {operand::kind::reg, static_cast<std::int64_t>(new_register(what)), at};
  }

  std::size_t new_register(std::string_view what) {
    if (peek().is != token::kind::name || is_reserved(peek().text)) expected(what);
    if (names_.block(peek().text)) expected(fmt::format("{}, not a label", what));
    if (names_.data(peek().text)) expected(fmt::format("{}, not data", what));
    if (names_.function(peek().text))
      expected(fmt::format("{}, not a function; to call it, say 'call'", what));
    return names_.reg(take().text);
  }

  void add(const instruction& i) {
    if (block_ == nullptr) {
      complain(i.at, "expected a label before the first instruction, 'label: [.]'");
      throw unexpected{};
    }
    block_->code.push_back(i);
  }

  names names_;
  program program_;
  block* block_ = nullptr;
  block duplicate_;
  data spare_;
};

}  // namespace

program assemble(std::string_view text, const std::string& file) {
  std::vector<complaint> complaints;
  program p = parser(text, file, complaints).run();
  // The checks rely on every name being known.
  if (complaints.empty()) complaints = check(p);
  if (!complaints.empty()) throw program_error(file, p.lines, std::move(complaints));
  return p;
}

program assemble_file(const std::string& path) { return assemble(contents(path), path); }

}  // namespace tpal
