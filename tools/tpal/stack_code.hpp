// SPDX-License-Identifier: Apache-2.0
// The instructions of a task's stack, as text of C++.
#pragma once

#include "tools/tpal/cell_liveness.hpp"
#include "tools/tpal/expressions.hpp"
#include "tools/tpal/program.hpp"
#include "tools/tpal/stack_bounds.hpp"
#include "tools/tpal/stack_needs.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tpal {

// The text uses native/stack.hpp, and the variables `sp` and `marks`. A check that cannot fail is left out, and so is a zero that
// nothing reads. A block that needs something of the stack has two versions. It asks where it begins, and is sure of the
// answer then, or else makes each check in its place. Who is sure already goes to the sure version.
class stack_code {
 public:
  stack_code(const program& p, const expressions& words);

  static bool is_for(opcode code);

  bool has_two_versions(std::size_t block) const { return !needs_.at(block).is_nothing(); }
  // What decides between them.
  std::string question(std::size_t block) const;
  // The instructions of a version are to be asked for in their order.
  void begin(std::size_t block, bool is_sure);
  // Whether the version that is asked for goes to a block's sure version from here.
  bool is_sure_at(std::size_t block) const;
  std::string statement(const instruction& i);
  // Behind an instruction of another kind.
  void pass() { ++next_; }

 private:
  std::string text(const instruction& i, cell_liveness::set live) const;
  std::string cell(const instruction& i) const;
  std::string allocate(const instruction& i, cell_liveness::set live) const;
  std::string free(const instruction& i) const;
  std::string push(const instruction& i) const;
  std::string pop(const instruction& i, cell_liveness::set live) const;
  std::string require(const instruction& i) const;

  const expressions& words_;
  const stack_bounds bounds_;
  const stack_needs needs_;
  const cell_liveness liveness_;
  stack_bound bound_;                     // before the next instruction
  std::vector<cell_liveness::set> live_;  // behind each instruction of the block
  std::size_t next_ = 0;
};

}  // namespace tpal
