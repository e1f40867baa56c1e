// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/processor.hpp"

#include "tools/tpal/arithmetic.hpp"
#include "tools/tpal/c_functions.hpp"
#include "tools/tpal/diagnostics.hpp"
#include "tools/tpal/doubles.hpp"

#include <fmt/format.h>

#include <vector>

namespace tpal {
namespace {

std::string describe(const program& p, value v) {
  switch (v.is) {
    case value::kind::nothing: return "nothing";
    case value::kind::number: return fmt::format("the number {}", v.bits);
    case value::kind::floating: return fmt::format("the double {}", in_decimal(double_of(v.bits)));
    case value::kind::label:
      return fmt::format("the label '{}'", p.blocks[static_cast<std::size_t>(v.bits)].name);
    case value::kind::record: return "a join record";
    case value::kind::mark: return "a mark";
  }
  return "";
}

[[noreturn]] void not_a(const program& p, const operand& v, std::string_view expected, value found) {
  const std::string name =
      v.is == operand::kind::reg
          ? fmt::format("register '{}' holds", p.registers[static_cast<std::size_t>(v.value)])
          : std::string("this is");
  throw run_error(v.at, fmt::format("expected {}; {} {}", expected, name, describe(p, found)));
}

}  // namespace

value processor::read(const task& t, const operand& v) const {
  if (v.is == operand::kind::number) return value::number(v.value);
  if (v.is == operand::kind::floating) return value::of_bits(v.value, true);
  if (v.is == operand::kind::label) return value::label(v.value);
  const value held = t.registers[static_cast<std::size_t>(v.value)];
  if (held.is == value::kind::nothing) {
    throw run_error(v.at, fmt::format("register '{}' is read, but this path has not written it",
                                      code_.registers[static_cast<std::size_t>(v.value)]));
  }
  return held;
}

std::int64_t processor::number(const task& t, const operand& v) const {
  if (v.is == operand::kind::number) return v.value;
  const value held = read(t, v);
  if (held.is == value::kind::floating) not_a(code_, v, "an integer", held);
  if (held.is != value::kind::number) not_a(code_, v, "a number", held);
  return held.bits;
}

double processor::floating(const task& t, const operand& v) const {
  const value held = read(t, v);
  if (held.is != value::kind::floating) not_a(code_, v, "a double", held);
  return double_of(held.bits);
}

std::int64_t processor::to_int(const task& t, const operand& v) const {
  const double d = floating(t, v);
  if (!has_integer(d)) throw run_error(v.at, fmt::format("{} has no integer of 64 bits", in_decimal(d)));
  return static_cast<std::int64_t>(d);
}

void processor::store(const task& t, const instruction& i) {
  const std::size_t at = cell(t, i);
  heap_.store(at, heap_.is_double(at) ? bits_of(floating(t, i.stored)) : number(t, i.stored));
}

std::size_t processor::label(const task& t, const operand& v) const {
  const value held = read(t, v);
  if (held.is != value::kind::label) not_a(code_, v, "a label", held);
  return static_cast<std::size_t>(held.bits);
}

record_id processor::record(const task& t, const operand& v) const {
  const value held = read(t, v);
  if (held.is != value::kind::record) not_a(code_, v, "a join record", held);
  return held.id();
}

std::size_t processor::cell(const task& t, const instruction& i) const {
  const std::int64_t address = compute(operation::add, number(t, i.left), number(t, i.right));
  if (address < 0 || static_cast<std::uint64_t>(address) >= heap_.size()) {
    throw run_error(i.at,
                    fmt::format("address {} is outside the heap, which has {} cells", address, heap_.size()));
  }
  return static_cast<std::size_t>(address);
}

value processor::compute_checked(const task& t, const instruction& i) const {
  if (gives_double(i.op)) return value::floating(compute(i.op, floating(t, i.left), floating(t, i.right)));
  if (is_of_doubles(i.op)) return value::number(compare(i.op, floating(t, i.left), floating(t, i.right)));
  const std::int64_t a = number(t, i.left);
  const std::int64_t b = number(t, i.right);
  if (b == 0 && (i.op == operation::divide || i.op == operation::remainder)) {
    throw run_error(i.right.at, fmt::format("division of {} by zero", a));
  }
  return value::number(compute(i.op, a, b));
}

value processor::call(const task& t, const instruction& i) const {
  const function& f = code_.functions[i.function];
  std::vector<std::int64_t> arguments;
  for (std::size_t k = 0; k < f.parameters.size(); ++k) {
    const operand& v = i.arguments[k];
    arguments.push_back(f.parameters[k] == type::floating ? bits_of(floating(t, v)) : number(t, v));
  }
  return value::of_bits(tpal::call(f, arguments), f.returns == type::floating);
}

void processor::enter(task& t, std::size_t block) {
  t.block = block;
  t.next = 0;
  const annotation& note = code_.blocks[block].note;
  if (!heart_ || note.is != annotation::kind::promotion_ready) return;
  // Never two in a row: a handler that finds nothing to promote jumps back to where it came from.
  if (t.cycles > *heart_ && !t.passes) {
    t.cycles = 0;
    t.passes = true;
    ++counts_.beats;
    t.block = note.block;
  } else {
    t.passes = false;
  }
}

step processor::advance(task& t) {
  const instruction& i = code_.blocks[t.block].code[t.next];
  ++t.next;
  ++t.cycles;
  ++t.span;
  ++counts_.work;
  try {
    return execute(t, i);
  } catch (const stack_error& error) {
    throw run_error(i.at, error.what());
  } catch (const join_error& error) {
    throw run_error(i.at, error.what());
  }
}

step processor::execute(task& t, const instruction& i) {
  const auto set = [&](value v) { t.registers[i.target] = v; };
  switch (i.code) {
    case opcode::move: set(read(t, i.left)); break;
    case opcode::compute: set(compute_checked(t, i)); break;
    case opcode::to_double: set(value::floating(static_cast<double>(number(t, i.left)))); break;
    case opcode::to_int: set(value::number(to_int(t, i.left))); break;
    case opcode::load: {
      const std::size_t at = cell(t, i);
      set(value::of_bits(heap_.load(at), heap_.is_double(at)));
      break;
    }
    case opcode::store: store(t, i); break;
    case opcode::load_stack: set(t.calls.load(number(t, i.right))); break;
    case opcode::store_stack: t.calls.store(number(t, i.right), read(t, i.stored)); break;
    case opcode::if_jump:
      if (number(t, i.left) == 0) enter(t, label(t, i.right));
      break;
    case opcode::jump: enter(t, label(t, i.left)); break;
    case opcode::halt: return step::halted;
    case opcode::jralloc: set(value::record(tree_.allocate(t, label(t, i.left)))); return step::opened;
    case opcode::fork: {
      record_ = record(t, i.left);
      child_ = std::make_unique<task>();
      child_->registers = t.registers;
      child_->block = label(t, i.right);
      child_->span = t.span;
      tree_.fork(t, *child_, record_);
      ++counts_.forks;
      return step::forked;
    }
    case opcode::join: record_ = record(t, i.left); return step::joins;
    case opcode::snew: t.calls.renew(); break;
    case opcode::salloc: t.calls.allocate(number(t, i.left)); break;
    case opcode::sfree: t.calls.free(number(t, i.left)); break;
    case opcode::prmpush: t.calls.push_mark(number(t, i.right)); break;
    case opcode::prmpop: t.calls.pop_mark(number(t, i.right)); break;
    case opcode::call: set(call(t, i)); break;
    case opcode::call_only: call(t, i); break;
    case opcode::prmempty: set(value::number(truth(!t.calls.has_marks()))); break;
    case opcode::prmsplit: set(value::number(t.calls.split_mark())); break;
  }
  return step::next;
}

}  // namespace tpal
