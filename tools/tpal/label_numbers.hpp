// SPDX-License-Identifier: Apache-2.0
// The numbers that stand for labels in native code.
#pragma once

#include "tools/tpal/program.hpp"

#include <cstddef>
#include <vector>

namespace tpal {

// The labels that are used as values come first. So one comparison tells whether what a register has may be such a label, and a
// jump to a register leads to no other block, whatever number is in the register.
class label_numbers {
 public:
  explicit label_numbers(const program& p);

  std::size_t of(std::size_t block) const { return numbers_[block]; }
  // The blocks, by their numbers.
  const std::vector<std::size_t>& blocks() const { return blocks_; }
  std::size_t values() const { return values_; }

 private:
  std::vector<std::size_t> blocks_;
  std::size_t values_;
  std::vector<std::size_t> numbers_;
};

}  // namespace tpal
