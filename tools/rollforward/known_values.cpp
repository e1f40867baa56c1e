// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/known_values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rollforward {
namespace {

enum class effect {
  unknown,
  none,
  move,        // the last operand becomes the others
  change,      // ... and has a part in that
  comparison,  // only the flags change
  extension,   // of %rax, into itself and perhaps into %rdx
};

struct family {
  std::string_view begin;  // of the mnemonic
  effect what;
};

// The first that fits counts. Nothing here traps: no division, and nothing that reads or writes by registers which it does not name.
constexpr auto families = std::to_array<family>({
    {"nop", effect::none},        {"mov", effect::move},        {"leal", effect::move},
    {"leaq", effect::move},       {"zeroupper", effect::none},  {"cmov", effect::change},
    {"set", effect::change},      {"cvt", effect::change},      {"pshuf", effect::move},
    {"add", effect::change},      {"sub", effect::change},      {"and", effect::change},
    {"or", effect::change},       {"xor", effect::change},      {"imul", effect::change},
    {"mulss", effect::change},    {"mulsd", effect::change},    {"mulps", effect::change},
    {"mulpd", effect::change},    {"neg", effect::change},      {"not", effect::change},
    {"inc", effect::change},      {"dec", effect::change},      {"shl", effect::change},
    {"shr", effect::change},      {"sal", effect::change},      {"sar", effect::change},
    {"rol", effect::change},      {"ror", effect::change},      {"shuf", effect::change},
    {"unpck", effect::change},    {"punpck", effect::change},   {"padd", effect::change},
    {"psub", effect::change},     {"pand", effect::change},     {"por", effect::change},
    {"pxor", effect::change},     {"psll", effect::change},     {"psrl", effect::change},
    {"pinsr", effect::change},    {"insertps", effect::change}, {"pextr", effect::move},
    {"test", effect::comparison}, {"cltq", effect::extension},  {"cwtl", effect::extension},
    {"cltd", effect::extension},  {"cqto", effect::extension},
});

effect effect_of(std::string_view mnemonic) {
  constexpr std::array comparisons = std::to_array<std::string_view>({"cmp", "cmpb", "cmpw", "cmpl", "cmpq"});
  if (std::find(comparisons.begin(), comparisons.end(), mnemonic) != comparisons.end())
    return effect::comparison;
  if (mnemonic.starts_with('v')) mnemonic.remove_prefix(1);
  const auto* const found = std::find_if(families.begin(), families.end(), [mnemonic](const family& each) {
    return mnemonic.starts_with(each.begin);
  });
  return found != families.end() ? found->what : effect::unknown;
}

bool is_register(std::string_view operand) { return operand.starts_with('%') && !operand.ends_with(')'); }
bool is_memory(std::string_view operand) { return operand.ends_with(')'); }
bool uses_flags(std::string_view mnemonic) {
  return mnemonic.starts_with("cmov") || mnemonic.starts_with("set");
}

// One name for all widths: rbx for %rbx, %ebx, %bx and %bl; r12 for %r12d; xmm0 for %ymm0.
std::string whole(std::string_view reg) {
  reg.remove_prefix(1);
  std::string name(reg);
  if (name.starts_with("ymm") || name.starts_with("zmm")) return "xmm" + name.substr(3);
  if (name.starts_with("xmm")) return name;
  const bool numbered = name.size() > 1 && name[0] == 'r' && name[1] >= '0' && name[1] <= '9';
  if (numbered) return name.substr(0, name.find_last_of("0123456789") + 1);
  if (name.size() == 2 && (name[1] == 'l' || name[1] == 'h')) return std::string("r") + name[0] + 'x';
  if (name.ends_with('l')) name.pop_back();  // sil
  if (name[0] == 'e' || name[0] == 'r') return 'r' + name.substr(1);
  return 'r' + name;
}

bool is_whole(std::string_view reg) {
  return reg.starts_with("%r") ? !reg.ends_with('b') && !reg.ends_with('w') : reg.starts_with("%e");
}

bool is_vector(std::string_view operand) { return is_register(operand) && operand.substr(2, 2) == "mm"; }

// Something that needs no value of what it names.
bool makes_zero(const statement& s) {
  const std::string_view name = std::string_view(s.name).substr(s.name.starts_with('v') ? 1 : 0);
  return (name.starts_with("xor") || name.starts_with("pxor")) && s.operands.size() > 1 &&
         is_register(s.operands[0]) && s.operands[0] == s.operands[1] && s.operands[0] == s.operands.back();
}

bool moves_stack_pointer(const statement& s) {
  return (s.name.starts_with("add") || s.name.starts_with("sub")) && s.operands.size() == 2 &&
         s.operands[0].starts_with('$') && s.operands[1] == "%rsp";
}

}  // namespace

known_values::known_values(bool frame_pointer)
    : frame_pointer_(frame_pointer),
      registers_{"rax", "rdx", "xmm0", "xmm1", "rbx", "rbp", "rsp", "r12", "r13", "r14", "r15"} {}

bool known_values::is_word_of_frame(std::string_view operand) const {
  if (operand.find(':') != std::string_view::npos) return false;
  return operand.ends_with("(%rsp)") || (frame_pointer_ && operand.ends_with("(%rbp)"));
}

// All registers that the address consists of.
bool known_values::knows_address(std::string_view operand) const {
  if (operand.ends_with("(%rip)") || is_word_of_frame(operand)) return true;
  while (operand.find('%') != std::string_view::npos) {
    operand.remove_prefix(operand.find('%'));
    const std::size_t end = operand.find_first_of(",)");
    if (!registers_.contains(whole(operand.substr(0, end)))) return false;
    operand.remove_prefix(1);
  }
  return true;
}

bool known_values::knows(std::string_view operand) const {
  if (operand.starts_with('$')) return true;
  if (is_register(operand)) return registers_.contains(whole(operand));
  // A constant of the program can be read at any time; other memory is perhaps not there yet.
  return is_word_of_frame(operand) || operand.ends_with("(%rip)");
}

bool known_values::can_write(std::string_view operand) const {
  if (!is_register(operand)) return is_word_of_frame(operand);
  // Another stack pointer would be that of the frame, not of its copy.
  const std::string name = whole(operand);
  return name != "rsp" && (name != "rbp" || !frame_pointer_);
}

bool known_values::write(std::string_view operand) {
  if (!can_write(operand)) return false;
  if (is_register(operand)) registers_.insert(whole(operand));
  return true;
}

bool known_values::follow(const statement& s) {
  if (!s.prefixes.empty()) return false;
  if (moves_stack_pointer(s)) return true;
  const effect what = effect_of(s.name);
  if (what == effect::unknown) return false;
  if (what == effect::none) return true;
  if (what == effect::extension)
    return s.operands.empty() && knows("%rax") && (s.name == "cltq" || s.name == "cwtl" || write("%rdx"));
  // The multiplication with one operand has its product elsewhere.
  if (s.operands.empty() || (s.operands.size() == 1 && s.name.starts_with("imul"))) return false;
  if (uses_flags(s.name) && !flags_) return false;
  const std::string& to = s.operands.back();
  if (makes_zero(s)) return write(to);
  // Otherwise what it was has a part in what it becomes.
  const bool becomes_all =
      s.name.starts_with("set") ||
      (s.operands.size() > 2 && (s.name.starts_with('v') || s.name.starts_with("imul"))) ||
      (what == effect::move && (is_whole(to) || is_vector(to) || is_memory(to)));
  if (!becomes_all && !knows(to)) return false;
  const bool address = s.name.starts_with("lea");
  for (std::size_t i = 0; i + 1 < s.operands.size(); ++i) {
    if (address ? !knows_address(s.operands[i]) : !knows(s.operands[i])) return false;
  }
  if (what == effect::comparison) return flags_ = true;
  if (what == effect::change && !uses_flags(s.name)) flags_ = true;
  return write(to);
}

}  // namespace rollforward
