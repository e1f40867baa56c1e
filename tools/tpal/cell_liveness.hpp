// SPDX-License-Identifier: Apache-2.0
// Which cells of a task's stack something may still read.
#pragma once

#include "tools/tpal/destinations.hpp"
#include "tools/tpal/program.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tpal {

// From the end of the program to its beginning, as `liveness` for registers. What is stored to a cell before anything reads
// the cell need not be kept, nor the zero of a cell that becomes a mark: its mark's end makes a zero of its own.
class cell_liveness {
 public:
  // A bit for each of the newest cells, from mem[sp + 0] on. Older ones count as read.
  using set = std::uint64_t;
  static constexpr std::int64_t most = 64;

  explicit cell_liveness(const program& p);

  // Behind each instruction of the block.
  std::vector<set> behind(std::size_t block) const;

 private:
  set at(const std::vector<std::size_t>& blocks) const;
  set before(const instruction& i, set behind) const;
  bool visit(std::size_t block);

  const program& program_;
  const destinations destinations_;
  std::vector<set> begins_;  // of the blocks
};

}  // namespace tpal
