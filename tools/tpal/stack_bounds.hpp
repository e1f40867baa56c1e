// SPDX-License-Identifier: Apache-2.0
// What is certain about a task's stack, wherever the task is.
#pragma once

#include "tools/tpal/destinations.hpp"
#include "tools/tpal/program.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tpal {

// What holds for every stack that a path may have made. An instruction that has not failed tells of cells, too: whoever read
// mem[sp + 3] has at least four of them.
struct stack_bound {
  static constexpr std::int64_t most = 64;  // more is not counted

  bool exists = false;
  std::int64_t cells = 0;     // there are at least so many
  std::int64_t unmarked = 0;  // and so many of the newest have no mark; never more than `cells`

  bool operator==(const stack_bound&) const = default;

  bool has(const operand& offset) const {
    return offset.is == operand::kind::number && offset.value >= 0 && offset.value < cells;
  }
  bool is_unmarked(const operand& offset) const { return has(offset) && offset.value < unmarked; }
  // Behind an instruction that did not fail.
  void pass(const instruction& i);
  // Where two paths meet.
  void meet(const stack_bound& other);

 private:
  void has_at_least(std::int64_t count);
  void allocated(const operand& count);
  void freed(const operand& count);
  void pushed(const operand& offset);
  void popped(const operand& offset);
};

// From the beginning of the program to its end: a task keeps its stack over jumps, beats, forks and joins, and a child begins
// without one. Nothing is certain in blocks that no path reaches.
class stack_bounds {
 public:
  explicit stack_bounds(const program& p);

  stack_bound at(std::size_t block) const { return begins_[block].value_or(stack_bound{}); }

 private:
  void visit(std::size_t block);
  void arrive(std::size_t block, const stack_bound& with);
  void arrive(const std::vector<std::size_t>& blocks, const stack_bound& with);

  const program& program_;
  const destinations destinations_;
  std::vector<std::optional<stack_bound>> begins_;  // of the blocks
  std::vector<std::size_t> open_;                   // blocks to visit, or to visit again
};

}  // namespace tpal
