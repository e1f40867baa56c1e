// SPDX-License-Identifier: Apache-2.0
// Which registers something may still read.
#pragma once

#include "tools/tpal/program.hpp"

#include <cstddef>
#include <vector>

namespace tpal {

// From the end of the program to its beginning. A jump to a register may lead to every block whose label is used as a value, and
// a join to every join target.
class liveness {
 public:
  using set = std::vector<bool>;  // by registers

  explicit liveness(const program& p);

  // At a halt: the outputs.
  const set& at_halt() const { return outputs_; }
  // At the beginning of a block, or of any that a register may lead to.
  set at(const operand& destination) const;
  // What a join keeps of the task that joins: its own registers, or those that its parent receives.
  set before_join() const;
  set after_join() const;

 private:
  bool visit(std::size_t block);
  void step(const instruction& i, set& live) const;

  const program& program_;
  set outputs_;
  std::vector<std::size_t> labels_as_values_;
  std::vector<set> begins_;  // of the blocks
};

}  // namespace tpal
