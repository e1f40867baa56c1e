// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/stack.hpp"

#include <fmt/format.h>

namespace tpal {

void stack::require() const {
  if (!exists_) throw stack_error("the task has no stack; make one by 'sp := snew'");
}

std::size_t stack::index(std::int64_t offset) const {
  require();
  if (offset < 0 || static_cast<std::uint64_t>(offset) >= cells_.size()) {
    throw stack_error(
        fmt::format("mem[sp + {}] is outside the stack, which has {} cells", offset, cells_.size()));
  }
  return cells_.size() - 1 - static_cast<std::size_t>(offset);
}

void stack::renew() {
  if (!marks_.empty()) {
    throw stack_error("a new stack would drop promotion-ready marks; take them off by prmpop or prmsplit");
  }
  exists_ = true;
  cells_.clear();
}

void stack::allocate(std::int64_t count) {
  require();
  if (count < 0) throw stack_error(fmt::format("salloc of {} cells", count));
  if (static_cast<std::uint64_t>(count) > most_cells - cells_.size()) {
    throw stack_error(
        fmt::format("stack overflow: {} cells are in use, {} more are asked for, and {} is the limit",
                    cells_.size(), count, most_cells));
  }
  cells_.resize(cells_.size() + static_cast<std::size_t>(count), value::number(0));
}

void stack::free(std::int64_t count) {
  require();
  if (count < 0) throw stack_error(fmt::format("sfree of {} cells", count));
  if (static_cast<std::uint64_t>(count) > cells_.size()) {
    throw stack_error(
        fmt::format("stack underflow: sfree of {} cells, and there are {}", count, cells_.size()));
  }
  const std::size_t left = cells_.size() - static_cast<std::size_t>(count);
  if (!marks_.empty() && marks_.back() >= left) {
    throw stack_error(fmt::format("sfree of {} cells, of which mem[sp + {}] has a promotion-ready mark",
                                  count, cells_.size() - 1 - marks_.back()));
  }
  cells_.resize(left);
}

const value& stack::load(std::int64_t offset) const {
  const value& v = cells_[index(offset)];
  if (v.is == value::kind::mark) {
    throw stack_error(fmt::format("mem[sp + {}] holds a promotion-ready mark, no value", offset));
  }
  return v;
}

void stack::store(std::int64_t offset, value v) {
  value& cell = cells_[index(offset)];
  if (cell.is == value::kind::mark) {
    throw stack_error(
        fmt::format("mem[sp + {}] holds a promotion-ready mark and cannot be stored to", offset));
  }
  cell = v;
}

void stack::push_mark(std::int64_t offset) {
  const std::size_t cell = index(offset);
  if (!marks_.empty() && marks_.back() >= cell) {
    throw stack_error(
        fmt::format("prmpush of mem[sp + {}], which is not newer than the newest mark, mem[sp + {}]", offset,
                    cells_.size() - 1 - marks_.back()));
  }
  cells_[cell] = value::mark();
  marks_.push_back(cell);
}

void stack::pop_mark(std::int64_t offset) {
  const std::size_t cell = index(offset);
  if (marks_.empty()) throw stack_error(fmt::format("prmpop of mem[sp + {}], and there is no mark", offset));
  if (marks_.back() != cell) {
    throw stack_error(fmt::format("prmpop of mem[sp + {}], but the newest mark is mem[sp + {}]", offset,
                                  cells_.size() - 1 - marks_.back()));
  }
  cells_[cell] = value::number(0);
  marks_.pop_back();
}

bool stack::has_marks() const {
  require();
  return !marks_.empty();
}

std::int64_t stack::split_mark() {
  require();
  if (marks_.empty()) throw stack_error("prmsplit, and there is no mark; ask prmempty before");
  const std::size_t cell = marks_.front();
  marks_.pop_front();
  cells_[cell] = value::number(0);
  return static_cast<std::int64_t>(cells_.size() - 1 - cell);
}

}  // namespace tpal
