// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/register_types.hpp"

#include "tools/tpal/doubles.hpp"
#include "tools/tpal/flow.hpp"

namespace tpal {

kinds::kinds(const program& p) : program_(p), seen_(p.registers.size()) {
  declarations();
  while (is_new_) {
    is_new_ = false;
    for (const block& b : p.blocks) {
      for (const instruction& i : b.code) visit(i);
      for (const transfer& t : b.note.transfers) see_alike(t.from, t.to);
    }
  }
}

void kinds::declarations() {
  for (const input& i : program_.inputs) see(i.target, i.of == type::floating ? floating : other);
  for (const auto& [reg, of] : program_.output_types) see(reg, of == type::floating ? floating : other);
}

void kinds::see(std::size_t reg, std::uint8_t what) {
  if ((seen_[reg] | what) == seen_[reg]) return;
  seen_[reg] |= what;
  is_new_ = true;
}

void kinds::see(const operand& v, std::uint8_t what) {
  if (v.is == operand::kind::reg) see(static_cast<std::size_t>(v.value), what);
}

void kinds::see_alike(std::size_t a, std::size_t b) {
  see(a, seen_[b]);
  see(b, seen_[a]);
}

void kinds::visit(const instruction& i) {
  const std::uint8_t operands = is_of_doubles(i.op) || i.code == opcode::to_int ? floating : other;
  switch (i.code) {
    case opcode::move:
      if (i.left.is == operand::kind::reg) return see_alike(i.target, static_cast<std::size_t>(i.left.value));
      return see(i.target, i.left.is == operand::kind::floating ? floating : other);
    case opcode::call:
    case opcode::call_only: return call(i);
    case opcode::store_stack:
    case opcode::load_stack: return see(i.right, other);
    case opcode::load:
    case opcode::store:
      // The cells of data are of one type; an address in a register may be of any.
      if (i.left.is == operand::kind::data) {
        const bool are_doubles = program_.arrays[static_cast<std::size_t>(i.left.value)].of == type::floating;
        const std::uint8_t cell = are_doubles ? floating : other;
        i.code == opcode::load ? see(i.target, cell) : see(i.stored, cell);
      }
      break;
    case opcode::compute: see(i.target, gives_double(i.op) ? floating : other); break;
    case opcode::to_double: see(i.target, floating); break;
    default:
      if (writes(i)) see(i.target, other);
  }
  see(i.left, operands);
  see(i.right, operands);
}

void kinds::call(const instruction& i) {
  const function& f = program_.functions[i.function];
  const auto kind_of = [](type t) { return t == type::floating ? floating : other; };
  for (std::size_t k = 0; k < f.parameters.size(); ++k) see(i.arguments[k], kind_of(f.parameters[k]));
  if (i.code == opcode::call) see(i.target, kind_of(*f.returns));
}

}  // namespace tpal
