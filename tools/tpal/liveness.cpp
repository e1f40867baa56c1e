// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/liveness.hpp"

#include "tools/tpal/flow.hpp"

namespace tpal {
namespace {

void add(liveness::set& to, const liveness::set& more) {
  for (std::size_t r = 0; r < to.size(); ++r) {
    if (more[r]) to[r] = true;
  }
}

}  // namespace

liveness::liveness(const program& p)
    : program_(p),
      outputs_(p.registers.size()),
      labels_as_values_(labels_as_values(p)),
      begins_(p.blocks.size(), set(p.registers.size())) {
  for (const operand& v : p.outputs) {
    if (v.is == operand::kind::reg) outputs_[static_cast<std::size_t>(v.value)] = true;
  }
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (std::size_t b = p.blocks.size(); b-- > 0;) is_new |= visit(b);
  }
}

liveness::set liveness::at(const operand& destination) const {
  if (destination.is == operand::kind::label) return begins_[static_cast<std::size_t>(destination.value)];
  set live(outputs_.size());
  for (const std::size_t block : labels_as_values_) add(live, begins_[block]);
  return live;
}

liveness::set liveness::after_join() const {
  set live(outputs_.size());
  for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
    const annotation& note = program_.blocks[b].note;
    if (note.is != annotation::kind::join_target) continue;
    add(live, begins_[b]);
    add(live, begins_[note.block]);
  }
  return live;
}

liveness::set liveness::before_join() const {
  set live(outputs_.size());
  for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
    const annotation& note = program_.blocks[b].note;
    if (note.is != annotation::kind::join_target) continue;
    set combining = begins_[note.block];
    for (const transfer& t : note.transfers) combining[t.to] = false;
    for (const transfer& t : note.transfers) live[t.from] = true;
    add(live, combining);
    add(live, begins_[b]);
  }
  return live;
}

void liveness::step(const instruction& i, set& live) const {
  if (writes(i)) live[i.target] = false;
  if (i.code == opcode::halt) live = outputs_;
  if (i.code == opcode::join) live = before_join();
  if (i.code == opcode::jump) live = at(i.left);
  if (i.code == opcode::if_jump || i.code == opcode::fork) add(live, at(i.right));
  for (const operand& v : reads_of(i)) live[static_cast<std::size_t>(v.value)] = true;
}

bool liveness::visit(std::size_t index) {
  const block& b = program_.blocks[index];
  set live(outputs_.size());
  for (auto i = b.code.rbegin(); i != b.code.rend(); ++i) step(*i, live);
  if (b.note.is == annotation::kind::promotion_ready) add(live, begins_[b.note.block]);
  if (live == begins_[index]) return false;
  begins_[index] = std::move(live);
  return true;
}

}  // namespace tpal
