// SPDX-License-Identifier: Apache-2.0
// The effect of instructions on the program counter.
#pragma once

#include "tools/rollforward/lexer.hpp"

#include <string>
#include <string_view>

namespace rollforward {

enum class flow {
  on,           // continues at the next instruction, or in the kernel
  call,         // returns to the next instruction
  jump,         // always
  conditional,  // jcc
  counted,      // loop, jrcxz and similar instructions, which reach only near places
  transaction,  // xbegin
  leave,        // ret
};

flow flow_of(std::string_view mnemonic);

// Whether the target is in a register or in memory.
bool is_indirect(const statement& instruction);

// The symbol in a jump's operand, perhaps with @PLT. Empty if the operand is something else.
std::string_view jump_symbol(std::string_view operand);

// The mnemonic of the conditional jump with the opposite condition.
std::string inverse_of(std::string_view conditional);

}  // namespace rollforward
