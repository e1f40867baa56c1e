// What instructions do to the program counter.
#pragma once

#include "tools/rollforward/lexer.hpp"

#include <string>
#include <string_view>

namespace rollforward {

enum class flow {
  on,           // to the next instruction, or into the kernel
  call,         // comes back to the next instruction
  jump,         // always
  conditional,  // jcc
  counted,      // loop, jrcxz and the like: only to near places
  transaction,  // xbegin
  leave,        // ret
};

flow flow_of(std::string_view mnemonic);

// Does it go where a register or memory says?
bool is_indirect(const statement& instruction);

// The mnemonic of the conditional jump that is taken when this one is not.
std::string inverse_of(std::string_view conditional);

}  // namespace rollforward
