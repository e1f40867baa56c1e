// The instructions of a task's stack, as text of C++.
#pragma once

#include "tools/tpal/cell_liveness.hpp"
#include "tools/tpal/expressions.hpp"
#include "tools/tpal/program.hpp"
#include "tools/tpal/stack_bounds.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tpal {

// The text uses native/stack.hpp, and the variables `sp` and `marks`. A check that cannot fail is left out, and so is a zero that
// nothing reads.
class stack_code {
 public:
  stack_code(const program& p, const expressions& words);

  static bool is_for(opcode code);
  // The instructions of a block are to be asked for in their order.
  void begin(std::size_t block);
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
  const cell_liveness liveness_;
  stack_bound bound_;                     // before the next instruction
  std::vector<cell_liveness::set> live_;  // behind each instruction of the block
  std::size_t next_ = 0;
};

}  // namespace tpal
