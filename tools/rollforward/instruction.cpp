// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/instruction.hpp"

#include <algorithm>

namespace rollforward {
flow flow_of(std::string_view mnemonic) {
  if (mnemonic == "jmp" || mnemonic == "jmpq") return flow::jump;
  if (mnemonic == "call" || mnemonic == "callq") return flow::call;
  if (mnemonic == "ret" || mnemonic == "retq") return flow::leave;
  if (mnemonic == "jrcxz" || mnemonic == "jecxz" || mnemonic == "jcxz" || mnemonic.starts_with("loop"))
    return flow::counted;
  if (mnemonic == "xbegin") return flow::transaction;
  if (mnemonic.front() == 'j') return flow::conditional;
  return flow::on;
}

bool is_indirect(const statement& instruction) {
  return !instruction.operands.empty() && instruction.operands.front().starts_with('*');
}

std::string_view jump_symbol(std::string_view operand) {
  operand = operand.substr(0, operand.find("@PLT"));
  const bool symbol = !operand.empty() && is_symbol_start(operand.front()) && operand != "." &&
                      std::all_of(operand.begin(), operand.end(), is_symbol_part);
  return symbol ? operand : std::string_view{};
}

std::string inverse_of(std::string_view conditional) {
  const std::string condition(conditional.substr(1));
  if (condition == "pe") return "jpo";
  if (condition == "po") return "jpe";
  return condition.starts_with('n') ? 'j' + condition.substr(1) : "jn" + condition;
}

}  // namespace rollforward
