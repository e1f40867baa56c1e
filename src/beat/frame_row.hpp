// SPDX-License-Identifier: Apache-2.0
// What call frame information says about the frame at one address: where it ends, and where the caller's
// registers are (DWARF 5, 6.4).
#pragma once

#include "beat/frame_expression.hpp"
#include "beat/unwind_entry.hpp"

#include <array>
#include <cstdint>

namespace sennit::detail {

enum class register_rule_kind : std::uint8_t {
  same = 0,       // the register has the caller's value
  at_offset,      // saved, relative to the frame's end
  at_expression,  // saved at an address to be computed
  other,          // lost, or in a way that no walk needs
};

struct register_rule {
  register_rule_kind kind;
  union {
    std::int64_t offset;
    const unsigned char* expression;  // its length comes first
  };
};

// All zero: each register is the same.
struct frame_row {
  // The canonical frame address (CFA) is the value of a register and an offset, unless there is an expression.
  std::uint64_t cfa_register;
  std::int64_t cfa_offset;
  const unsigned char* cfa_expression;
  std::array<register_rule, frame_registers::count> rules;
};

// The expression that a rule has.
byte_reader expression_of(const unsigned char* with_length, const unwind_entry& entry) noexcept;

// The row for code that will go on at `address`. False if the instructions cannot be followed.
bool find_row(const unwind_entry& entry, std::uintptr_t address, frame_row& row) noexcept;

}  // namespace sennit::detail
