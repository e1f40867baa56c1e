#include "tools/rollforward/instruction.hpp"

#include <algorithm>
#include <array>

namespace rollforward {
namespace {

// In all widths: %rbx, %ebx, %bx and %bl; %r12, %r12d, %r12w and %r12b.
bool is_known(std::string_view reg) {
  constexpr std::array known = std::to_array<std::string_view>({
      "rax",
      "eax",
      "ax",
      "al",
      "rdx",
      "edx",
      "dx",
      "dl",
      "rbx",
      "ebx",
      "bx",
      "bl",
      "rbp",
      "ebp",
      "rsp",
      "xmm0",
      "xmm1",
      "rip",
  });
  return std::find(known.begin(), known.end(), reg) != known.end() || reg.starts_with("r12") ||
         reg.starts_with("r13") || reg.starts_with("r14") || reg.starts_with("r15");
}

// Only words of the frame, and registers that are known.
bool is_of_frame(std::string_view operand, bool frame_pointer) {
  if (operand.find('(') == std::string_view::npos)
    return operand.starts_with('$') || (operand.starts_with('%') && is_known(operand.substr(1)));
  return operand.find("(%rsp)") != std::string_view::npos ||
         (frame_pointer && operand.find("(%rbp)") != std::string_view::npos);
}

bool is_move(std::string_view mnemonic) {
  return mnemonic.starts_with("mov") || mnemonic.starts_with("vmov") || mnemonic.starts_with("lea");
}

bool moves_stack_pointer(const statement& s) {
  return (s.name.starts_with("add") || s.name.starts_with("sub")) && s.operands.size() == 2 &&
         s.operands[0].starts_with('$') && s.operands[1] == "%rsp";
}

}  // namespace

bool only_moves_results(const statement& s, bool frame_pointer) {
  if (s.name == "cltq" || s.name == "nop" || moves_stack_pointer(s)) return true;
  if (!is_move(s.name) || s.operands.size() != 2) return false;
  const std::string& to = s.operands[1];
  // Another stack pointer would be that of the frame, not of its copy.
  const bool sets_pointer = to == "%rsp" || (frame_pointer && to == "%rbp");
  return !sets_pointer && is_of_frame(s.operands[0], frame_pointer) &&
         (to.find('(') == std::string::npos ? to.starts_with('%') : is_of_frame(to, frame_pointer));
}

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
