// SPDX-License-Identifier: Apache-2.0
// Which registers hold doubles: the machine sees that as it goes, a compiler has to know it.
#pragma once

#include "tools/tpal/program.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tpal {

// From what the whole program does with each register, without regard to the order: operations, declarations, and moves from
// one register to another. The stack tells nothing.
class kinds {
 public:
  explicit kinds(const program& p);

  bool holds_doubles(std::size_t reg) const { return seen_[reg] == floating; }
  // Holds doubles here and other things there.
  bool is_mixed(std::size_t reg) const { return seen_[reg] == (floating | other); }
  bool is_unknown(std::size_t reg) const { return seen_[reg] == 0; }

 private:
  static constexpr std::uint8_t floating = 1;
  static constexpr std::uint8_t other = 2;

  void declarations();
  void visit(const instruction& i);
  void call(const instruction& i);
  void see(const operand& v, std::uint8_t what);
  void see(std::size_t reg, std::uint8_t what);
  void see_alike(std::size_t a, std::size_t b);

  const program& program_;
  std::vector<std::uint8_t> seen_;
  bool is_new_ = true;
};

}  // namespace tpal
