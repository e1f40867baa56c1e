// SPDX-License-Identifier: Apache-2.0
// Which registers may have been written where.
#pragma once

#include "tools/tpal/diagnostics.hpp"
#include "tools/tpal/program.hpp"

#include <cstddef>
#include <vector>

namespace tpal {

// The registers that an instruction reads, as operands.
std::vector<operand> reads_of(const instruction& i);
// Whether it writes its target.
bool writes(const instruction& i);

// Blocks that a jump to a register may lead to.
std::vector<std::size_t> labels_as_values(const program& p);

// For each block, the registers that some path from the first block to its beginning writes, or that are inputs. A jump
// to a register may lead to every block whose label is used as a value, and a join to every join target.
class flow {
 public:
  explicit flow(const program& p);

  bool reached(std::size_t block) const { return reached_[block]; }
  // Registers that are read where no path has written them, each once.
  std::vector<complaint> unwritten_reads() const;

 private:
  using set = std::vector<bool>;

  complaint unwritten(const instruction& i, const operand& read) const;
  void visit(std::size_t block);
  void arrive(std::size_t block, const set& written);
  void arrive(const operand& destination, const set& written);
  void arrive_at_joins(const set& written);

  const program& program_;
  std::vector<set> written_;
  std::vector<bool> reached_;
  set ever_written_;  // by any instruction, or an input
  std::vector<std::size_t> labels_as_values_;
  std::vector<std::size_t> open_;  // blocks to visit, or to visit again
};

}  // namespace tpal
