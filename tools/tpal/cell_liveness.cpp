// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/cell_liveness.hpp"

namespace tpal {
namespace {

using set = cell_liveness::set;

constexpr set all = ~set{0};

bool is_counted(const operand& v) {
  return v.is == operand::kind::number && v.value >= 0 && v.value < cell_liveness::most;
}

set bit(const operand& offset) { return is_counted(offset) ? set{1} << offset.value : 0; }

set allocated(const operand& count, set behind) {
  if (!is_counted(count)) return all;
  return (behind >> count.value) | ~(all >> count.value);
}

set freed(const operand& count, set behind) {
  if (count.is != operand::kind::number) return all;
  return is_counted(count) ? behind << count.value : 0;
}

}  // namespace

cell_liveness::cell_liveness(const program& p) : program_(p), destinations_(p), begins_(p.blocks.size(), 0) {
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (std::size_t b = p.blocks.size(); b-- > 0;) is_new |= visit(b);
  }
}

cell_liveness::set cell_liveness::at(const std::vector<std::size_t>& blocks) const {
  set live = 0;
  for (const std::size_t b : blocks) live |= begins_[b];
  return live;
}

cell_liveness::set cell_liveness::before(const instruction& i, set behind) const {
  switch (i.code) {
    case opcode::load_stack: return i.right.is == operand::kind::number ? behind | bit(i.right) : all;
    case opcode::store_stack:
    case opcode::prmpush:
    case opcode::prmpop: return behind & ~bit(i.right);
    case opcode::salloc: return allocated(i.left, behind);
    case opcode::sfree: return freed(i.left, behind);
    case opcode::if_jump: return behind | at(destinations_.of(i.right));
    case opcode::jump: return at(destinations_.of(i.left));
    case opcode::join: return at(destinations_.of_joins());
    case opcode::snew:
    case opcode::halt: return 0;
    default: return behind;  // a child has no part of its parent's stack
  }
}

std::vector<cell_liveness::set> cell_liveness::behind(std::size_t index) const {
  const block& b = program_.blocks[index];
  std::vector<set> sets(b.code.size());
  set live = 0;
  for (std::size_t k = b.code.size(); k-- > 0;) {
    sets[k] = live;
    live = before(b.code[k], live);
  }
  return sets;
}

bool cell_liveness::visit(std::size_t index) {
  const block& b = program_.blocks[index];
  set live = 0;
  for (auto i = b.code.rbegin(); i != b.code.rend(); ++i) live = before(*i, live);
  if (b.note.is == annotation::kind::promotion_ready) live |= begins_[b.note.block];
  if (live == begins_[index]) return false;
  begins_[index] = live;
  return true;
}

}  // namespace tpal
