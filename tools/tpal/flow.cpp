// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/flow.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>

namespace tpal {

std::vector<operand> reads_of(const instruction& i) {
  std::vector<operand> read;
  for (const operand& v : {i.left, i.right, i.stored}) {
    if (v.is == operand::kind::reg) read.push_back(v);
  }
  for (const operand& v : i.arguments) {
    if (v.is == operand::kind::reg) read.push_back(v);
  }
  return read;
}

bool writes(const instruction& i) {
  switch (i.code) {
    case opcode::move:
    case opcode::compute:
    case opcode::to_double:
    case opcode::to_int:
    case opcode::load:
    case opcode::load_stack:
    case opcode::jralloc:
    case opcode::call:
    case opcode::prmempty:
    case opcode::prmsplit: return true;
    default: return false;
  }
}

namespace {

// The operand that has to be a label, or a register that has one.
std::optional<operand> destination_of(const instruction& i) {
  switch (i.code) {
    case opcode::jump:
    case opcode::jralloc: return i.left;
    case opcode::if_jump:
    case opcode::fork: return i.right;
    default: return std::nullopt;
  }
}

}  // namespace

std::vector<std::size_t> labels_as_values(const program& p) {
  std::set<std::size_t> values;
  for (const block& b : p.blocks) {
    for (const instruction& i : b.code) {
      if (i.code != opcode::move && i.code != opcode::store && i.code != opcode::store_stack) continue;
      for (const operand& v : {i.left, i.stored}) {
        if (v.is == operand::kind::label) values.insert(static_cast<std::size_t>(v.value));
      }
    }
  }
  return {values.begin(), values.end()};
}

flow::flow(const program& p)
    : program_(p),
      written_(p.blocks.size(), set(p.registers.size())),
      reached_(p.blocks.size()),
      ever_written_(p.registers.size()),
      labels_as_values_(labels_as_values(p)) {
  if (p.blocks.empty()) return;
  for (const block& b : p.blocks) {
    for (const transfer& t : b.note.transfers) ever_written_[t.to] = true;
    for (const instruction& i : b.code) {
      if (writes(i)) ever_written_[i.target] = true;
    }
  }

  set inputs(p.registers.size());
  for (const input& i : p.inputs) ever_written_[i.target] = inputs[i.target] = true;
  arrive(0, inputs);
  while (!open_.empty()) {
    const std::size_t next = open_.back();
    open_.pop_back();
    visit(next);
  }
}

void flow::arrive(std::size_t block, const set& written) {
  bool is_new = !reached_[block];
  reached_[block] = true;
  for (std::size_t r = 0; r < written.size(); ++r) {
    if (!written[r] || written_[block][r]) continue;
    written_[block][r] = true;
    is_new = true;
  }
  if (is_new) open_.push_back(block);
}

void flow::arrive(const operand& destination, const set& written) {
  if (destination.is == operand::kind::label) {
    arrive(static_cast<std::size_t>(destination.value), written);
  } else {
    for (const std::size_t block : labels_as_values_) arrive(block, written);
  }
}

void flow::arrive_at_joins(const set& written) {
  for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
    const annotation& note = program_.blocks[b].note;
    if (note.is != annotation::kind::join_target) continue;
    arrive(b, written);
    set merged = written;
    for (const transfer& t : note.transfers) merged[t.to] = true;
    arrive(note.block, merged);
  }
}

void flow::visit(std::size_t index) {
  const block& b = program_.blocks[index];
  set written = written_[index];
  if (b.note.is == annotation::kind::promotion_ready) arrive(b.note.block, written);
  for (const instruction& i : b.code) {
    if (i.code == opcode::jump) arrive(i.left, written);
    if (i.code == opcode::if_jump || i.code == opcode::fork) arrive(i.right, written);
    if (i.code == opcode::join) arrive_at_joins(written);
    if (writes(i)) written[i.target] = true;
  }
}

complaint flow::unwritten(const instruction& i, const operand& read) const {
  const std::string& name = program_.registers[static_cast<std::size_t>(read.value)];
  const std::optional<operand> to = destination_of(i);
  if (to && to->value == read.value && !ever_written_[static_cast<std::size_t>(read.value)])
    return {read.at, fmt::format("there is no label '{}', nor a register of this name that has one", name)};
  const std::string remedy = name.find('-') == std::string::npos
                                 ? fmt::format("if it is an input, say '.input {}'", name)
                                 : "for a difference put spaces around the minus";
  return {read.at, fmt::format("register '{}' is read, but nothing has written it; {}", name, remedy)};
}

std::vector<complaint> flow::unwritten_reads() const {
  std::vector<complaint> complaints;
  set told(program_.registers.size());
  for (std::size_t index = 0; index < program_.blocks.size(); ++index) {
    if (!reached_[index]) continue;
    set written = written_[index];
    for (const instruction& i : program_.blocks[index].code) {
      for (const operand& v : reads_of(i)) {
        const auto r = static_cast<std::size_t>(v.value);
        if (written[r] || told[r]) continue;
        told[r] = true;
        complaints.push_back(unwritten(i, v));
      }
      if (writes(i)) written[i.target] = true;
    }
  }
  return complaints;
}

}  // namespace tpal
