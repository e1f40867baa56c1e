// SPDX-License-Identifier: Apache-2.0
// Where control may go on from an instruction.
#pragma once

#include "tools/tpal/program.hpp"

#include <cstddef>
#include <vector>

namespace tpal {

// A register may lead to every block whose label is used as a value. A join may lead to every join target, and to its
// combining block.
class destinations {
 public:
  explicit destinations(const program& p);

  // Of a label, or of a register that has one.
  std::vector<std::size_t> of(const operand& v) const;
  const std::vector<std::size_t>& of_joins() const { return joins_; }

 private:
  std::vector<std::size_t> values_;
  std::vector<std::size_t> joins_;
};

}  // namespace tpal
