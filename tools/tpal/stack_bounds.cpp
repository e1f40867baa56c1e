// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/stack_bounds.hpp"

#include <algorithm>

namespace tpal {

void stack_bound::has_at_least(std::int64_t count) {
  exists = true;
  cells = std::max(cells, std::min(count, most));
}

void stack_bound::allocated(const operand& count) {
  exists = true;
  if (count.is != operand::kind::number) return;  // some number of cells without marks
  const std::int64_t more = std::min(count.value, most);
  cells = std::min(cells + more, most);
  unmarked = std::min(unmarked + more, most);
}

void stack_bound::freed(const operand& count) {
  exists = true;
  const std::int64_t less = count.is == operand::kind::number ? std::min(count.value, most) : most;
  cells = std::max<std::int64_t>(cells - less, 0);
  unmarked = std::max<std::int64_t>(unmarked - less, 0);
}

void stack_bound::pushed(const operand& offset) {
  if (offset.is != operand::kind::number) {
    has_at_least(1);
    unmarked = 0;
    return;
  }
  // The mark is newer than all others.
  has_at_least(std::min(offset.value, most) + 1);
  unmarked = std::min(offset.value, cells);
}

void stack_bound::popped(const operand& offset) {
  if (offset.is != operand::kind::number) return has_at_least(1);
  // The next newest mark is of an older cell.
  has_at_least(std::min(offset.value, most) + 1);
  unmarked = std::max(unmarked, std::min(offset.value + 1, cells));
}

void stack_bound::pass(const instruction& i) {
  switch (i.code) {
    case opcode::snew: *this = {.exists = true}; break;
    case opcode::salloc: allocated(i.left); break;
    case opcode::sfree: freed(i.left); break;
    case opcode::load_stack:
    case opcode::store_stack:
      has_at_least(i.right.is == operand::kind::number ? std::min(i.right.value, most) + 1 : 1);
      break;
    case opcode::prmpush: pushed(i.right); break;
    case opcode::prmpop: popped(i.right); break;
    case opcode::prmempty:
    case opcode::prmsplit: exists = true; break;  // a mark less changes no bound
    default: break;
  }
}

void stack_bound::meet(const stack_bound& other) {
  exists = exists && other.exists;
  cells = std::min(cells, other.cells);
  unmarked = std::min(unmarked, other.unmarked);
}

stack_bounds::stack_bounds(const program& p) : program_(p), destinations_(p), begins_(p.blocks.size()) {
  if (p.blocks.empty()) return;
  arrive(0, {});
  while (!open_.empty()) {
    const std::size_t next = open_.back();
    open_.pop_back();
    visit(next);
  }
}

void stack_bounds::arrive(std::size_t block, const stack_bound& with) {
  std::optional<stack_bound>& begin = begins_[block];
  stack_bound both = begin.value_or(with);
  both.meet(with);
  if (begin == both) return;
  begin = both;
  open_.push_back(block);
}

void stack_bounds::arrive(const std::vector<std::size_t>& blocks, const stack_bound& with) {
  for (const std::size_t b : blocks) arrive(b, with);
}

void stack_bounds::visit(std::size_t index) {
  const block& b = program_.blocks[index];
  stack_bound bound = at(index);
  if (b.note.is == annotation::kind::promotion_ready) arrive(b.note.block, bound);
  for (const instruction& i : b.code) {
    switch (i.code) {
      case opcode::jump: arrive(destinations_.of(i.left), bound); break;
      case opcode::if_jump: arrive(destinations_.of(i.right), bound); break;
      case opcode::fork: arrive(destinations_.of(i.right), {}); break;
      case opcode::join: arrive(destinations_.of_joins(), bound); break;
      default: bound.pass(i);
    }
  }
}

}  // namespace tpal
