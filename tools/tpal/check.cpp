// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/check.hpp"

#include "tools/tpal/doubles.hpp"
#include "tools/tpal/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tpal {
namespace {

class checker {
 public:
  explicit checker(const program& p) : program_(p) {}

  std::vector<complaint> run() {
    declarations();
    const flow paths(program_);
    for (std::size_t index = 0; index < program_.blocks.size(); ++index) {
      const block& b = program_.blocks[index];
      note(b);
      shape(b);
      for (const instruction& i : b.code) {
        operands(i);
        // A program whose annotations were emptied is a serial one, and its handlers are never reached.
        if (i.code == opcode::jralloc && paths.reached(index)) continuation(i.left);
      }
    }
    for (complaint& c : paths.unwritten_reads()) complaints_.push_back(std::move(c));
    return std::move(complaints_);
  }

 private:
  void complain(position at, std::string what) { complaints_.push_back({at, std::move(what)}); }
  const std::string& name(std::size_t reg) const { return program_.registers[reg]; }
  const block& target(const operand& label) const {
    return program_.blocks[static_cast<std::size_t>(label.value)];
  }

  void declarations() {
    std::set<std::size_t> inputs;
    std::set<std::size_t> floating_inputs;
    for (const input& i : program_.inputs) {
      if (!inputs.insert(i.target).second) {
        complain(i.at, fmt::format("'{}' is an input already", name(i.target)));
      }
      if (i.of == type::floating) floating_inputs.insert(i.target);
    }
    std::size_t number = 0;
    for (const data& d : program_.arrays) {
      for (const operand& v : d.zeros) cells(d, v, inputs, floating_inputs, number);
      ++number;
    }
    const std::set<std::size_t> written = all_written(inputs);
    for (const operand& v : program_.outputs) {
      if (v.is == operand::kind::reg && !written.contains(static_cast<std::size_t>(v.value))) {
        complain(v.at,
                 fmt::format("nothing writes the output '{}'", name(static_cast<std::size_t>(v.value))));
      }
    }
  }

  void cells(const data& d, const operand& v, const std::set<std::size_t>& inputs,
             const std::set<std::size_t>& floating_inputs, std::size_t number) {
    const auto value = static_cast<std::size_t>(v.value);
    if (v.is == operand::kind::length
            ? value >= number
            : v.is != operand::kind::number && (v.is != operand::kind::reg || !inputs.contains(value) ||
                                                floating_inputs.contains(value))) {
      complain(v.at,
               fmt::format("how many cells '{}' has must be known from the start: expected a number, an "
                           "input or #data of data before it",
                           d.name));
    }
  }

  std::set<std::size_t> all_written(std::set<std::size_t> written) const {
    for (const block& b : program_.blocks) {
      for (const instruction& i : b.code) {
        if (writes(i)) written.insert(i.target);
      }
      for (const transfer& t : b.note.transfers) written.insert(t.to);
    }
    return written;
  }

  void note(const block& b) {
    if (b.note.is == annotation::kind::promotion_ready) {
      const block& handler = program_.blocks[b.note.block];
      if (handler.note.is == annotation::kind::promotion_ready) {
        complain(b.note.at, fmt::format("'{}' handles the beats of '{}' and cannot be promotion-ready itself",
                                        handler.name, b.name));
      }
    }
    std::set<std::size_t> received;
    for (const transfer& t : b.note.transfers) {
      if (!received.insert(t.to).second) {
        complain(t.at, fmt::format("register '{}' would receive two values", name(t.to)));
      }
    }
  }

  void shape(const block& b) {
    const auto ends = [](const instruction& i) {
      return i.code == opcode::jump || i.code == opcode::halt || i.code == opcode::join;
    };
    if (b.code.empty() || !ends(b.code.back())) {
      complain(b.at,
               fmt::format("block '{}' does not end: expected jump, halt or join as its last instruction",
                           b.name));
    }
    for (std::size_t i = 0; i + 1 < b.code.size(); ++i) {
      if (ends(b.code[i])) {
        complain(b.code[i + 1].at, "nothing leads here: the block has ended; expected a label");
        return;
      }
    }
  }

  void must_be_code(const operand& v) {
    if (v.is != operand::kind::label && v.is != operand::kind::reg) {
      complain(v.at, "expected a label, or a register that has one");
    }
  }

  void must_be_record(const operand& v) {
    if (v.is != operand::kind::reg) complain(v.at, "expected a register with a join record");
  }

  void must_be_number(const operand& v) {
    if (v.is == operand::kind::label) complain(v.at, "expected a number or a register, not a label");
    if (v.is == operand::kind::floating) {
      complain(v.at,
               "expected an integer, not a double; doubles have '+.', '<.' and the like, and 'int' converts");
    }
  }

  void must_be_double(const operand& v) {
    if (v.is == operand::kind::label) complain(v.at, "expected a double or a register, not a label");
    if (v.is != operand::kind::floating && v.is != operand::kind::reg && v.is != operand::kind::label) {
      complain(v.at, "expected a double, not an integer; a double has a point, 2.0, and 'double' converts");
    }
  }

  void operands(const instruction& i) {
    switch (i.code) {
      case opcode::jump: must_be_code(i.left); break;
      case opcode::if_jump: must_be_code(i.right); break;
      case opcode::fork: must_be_code(i.right); break;
      case opcode::join: must_be_record(i.left); break;
      case opcode::jralloc: must_be_code(i.left); break;
      case opcode::salloc:
      case opcode::sfree:
        must_be_number(i.left);
        if (i.left.is == operand::kind::number && i.left.value < 0) {
          complain(i.left.at, "expected how many cells, found less than none");
        }
        break;
      case opcode::compute:
        if (is_of_doubles(i.op)) {
          must_be_double(i.left);
          must_be_double(i.right);
        } else {
          must_be_number(i.left);
          must_be_number(i.right);
        }
        break;
      case opcode::to_double: must_be_number(i.left); break;
      case opcode::to_int: must_be_double(i.left); break;
      case opcode::load:
      case opcode::store:
      case opcode::load_stack:
      case opcode::store_stack:
      case opcode::prmpush:
      case opcode::prmpop:
        must_be_number(i.left);
        must_be_number(i.right);
        break;
      case opcode::call:
      case opcode::call_only: call(i); break;
      default: break;
    }
    if (i.code == opcode::store && i.stored.is == operand::kind::label) {
      complain(i.stored.at, "the heap has numbers only: a label can be stored in the stack");
    }
  }

  void call(const instruction& i) {
    const function& f = program_.functions[i.function];
    if (i.arguments.size() != f.parameters.size()) {
      complain(i.at, fmt::format("'{}' takes {} arguments, as line {} says, not {}", f.name,
                                 f.parameters.size(), f.at.line, i.arguments.size()));
    }
    if (i.code == opcode::call && !f.returns) {
      complain(i.at, fmt::format("'{0}' returns nothing, as line {1} says; say 'call {0}(...)' alone", f.name,
                                 f.at.line));
    }
    for (std::size_t k = 0; k < std::min(i.arguments.size(), f.parameters.size()); ++k) {
      f.parameters[k] == type::integer ? must_be_number(i.arguments[k]) : must_be_double(i.arguments[k]);
    }
  }

  void continuation(const operand& v) {
    if (v.is == operand::kind::label && target(v).note.is != annotation::kind::join_target) {
      complain(v.at, fmt::format("'{}' is where the join record goes on, but is no join target: expected an "
                                 "annotation [jtppt ...] at its label, line {}",
                                 target(v).name, target(v).at.line));
    }
  }

  const program& program_;
  std::vector<complaint> complaints_;
};

}  // namespace

std::vector<complaint> check(const program& p) { return checker(p).run(); }

std::vector<std::size_t> unreached(const program& p) {
  const flow reached(p);
  std::vector<std::size_t> blocks;
  for (std::size_t b = 0; b < p.blocks.size(); ++b) {
    if (!reached.reached(b)) blocks.push_back(b);
  }
  return blocks;
}

}  // namespace tpal
