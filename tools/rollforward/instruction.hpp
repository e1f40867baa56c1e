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

// Whether the instruction does no more than to move results of a call, in the frame and in registers. A
// register that calls do not keep is no source, except for those of results: nobody can know what a frame has there
// while the call goes on. `frame_pointer`: whether %rbp points into the frame; otherwise what it points to is no word of it.
bool only_moves_results(const statement& instruction, bool frame_pointer);

}  // namespace rollforward
