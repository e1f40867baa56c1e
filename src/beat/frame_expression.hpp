// SPDX-License-Identifier: Apache-2.0
// Expressions in call frame information, as far as compilers and linkers write them for x86-64.
#pragma once

#include "beat/byte_reader.hpp"
#include "beat/stack_memory.hpp"

#include <array>
#include <cstdint>

namespace sennit::detail {

// Registers have the numbers of the psABI for DWARF: 3 is %rbx, 6 %rbp, 7 %rsp, 16 the program counter.
struct frame_registers {
  static constexpr unsigned count = 17;

  std::array<std::uintptr_t, count> value{};
  std::uint32_t known = 0;  // a bit for each

  bool knows(std::uint64_t number) const noexcept { return number < count && (known >> number & 1) != 0; }
  void set(unsigned number, std::uintptr_t to) noexcept {
    value[number] = to;
    known |= 1U << number;
  }
  void forget(unsigned number) noexcept { known &= ~(1U << number); }
};

// False for an operation that is not known, and for memory that is not on the stack.
bool evaluate(byte_reader expression, const frame_registers& registers, stack_memory& memory,
              std::uintptr_t& result) noexcept;

}  // namespace sennit::detail
