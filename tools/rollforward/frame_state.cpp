// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/frame_state.hpp"

#include "tools/rollforward/fault.hpp"

#include <string>

namespace rollforward {
namespace {

bool is_stack_pointer(const std::string& reg) { return reg == "%rsp" || reg == "rsp" || reg == "7"; }

bool is_frame_pointer(const std::string& reg) { return reg == "%rbp" || reg == "rbp" || reg == "6"; }

// DW_CFA_def_cfa_expression, which GCC uses in functions that align their stack: relative to %rbp or %r10.
bool defines_frame(const std::string& byte) { return byte == "0xf" || byte == "0x0f" || byte == "15"; }

// An expression that begins with DW_OP_breg6.
bool of_frame_pointer(const statement& s) {
  constexpr std::size_t expression = 2;  // behind the operation and the length
  return s.operands.size() > expression &&
         (s.operands[expression] == "0x76" || s.operands[expression] == "118");
}

}  // namespace

void frame_state::follow(const statement& s) {
  const std::string first = s.operands.empty() ? "" : s.operands.front();
  if (s.name == ".cfi_startproc") {
    base_ = {};
    remembered_.clear();
  } else if (s.name == ".cfi_def_cfa" || s.name == ".cfi_def_cfa_register") {
    base_ = {is_stack_pointer(first), is_frame_pointer(first)};
  } else if (s.name == ".cfi_escape") {
    if (defines_frame(first)) base_ = {false, of_frame_pointer(s)};
  } else if (s.name == ".cfi_remember_state") {
    remembered_.push_back(base_);
  } else if (s.name == ".cfi_restore_state") {
    if (remembered_.empty())
      throw fault(s.line, ".cfi_restore_state without a .cfi_remember_state before it");
    base_ = remembered_.back();
    remembered_.pop_back();
  }
}

}  // namespace rollforward
