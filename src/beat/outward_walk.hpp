// SPDX-License-Identifier: Apache-2.0
// The way from code that a signal has interrupted outward to marked code.
#pragma once

#include "beat/address_pairs.hpp"
#include "beat/frame_row.hpp"
#include "beat/stack_memory.hpp"
#include "beat/unwind_entry.hpp"

#include <ucontext.h>

#include <cstdint>

namespace sennit::detail {

// Walks to the innermost frame in marked code, and has it continue in the second copy. It changes one word:
// the return address to that frame, or the program counter that another signal has saved. docs/design/
// rollforward.md says what has to be so before a word is taken for either. Async-signal-safe.
class outward_walk {
 public:
  explicit outward_walk(const ucontext_t& interrupted) noexcept;

  // False where nothing can be done at present.
  bool run() noexcept;

 protected:
  bool leave_frame() noexcept;
  bool leave_frame(const frame_row& row) noexcept;
  bool is_return_address() const noexcept;

 private:
  enum class outcome : std::uint8_t { on, moved, given_up };

  void enter(const ucontext_t& context) noexcept;
  bool find_frame_end(const frame_row& row, std::uintptr_t& end) noexcept;
  void restore(const frame_row& row, std::uintptr_t end) noexcept;
  bool restore(const register_rule& rule, std::uintptr_t end, std::uintptr_t& value) noexcept;
  outcome arrive() noexcept;
  bool has_callers() noexcept;
  bool has_copy(const std::uintptr_t* slot, std::uintptr_t begin, std::uintptr_t end) noexcept;
  outcome move_return(const place_in_code& place) noexcept;
  outcome move_interrupted() noexcept;

 protected:
  stack_memory memory_;
  frame_registers registers_;
  // Where the frame goes on, and the function there. A return address lies in `slot_`.
  std::uintptr_t pc_ = 0;
  unwind_entry function_;
  std::uintptr_t* slot_ = nullptr;  // null: interrupted at pc_

 private:
  std::uintptr_t frame_begin_ = 0;  // of the frame whose return address that is
  std::uintptr_t caller_end_ = 0;   // of the frame to which has_callers() has looked first
  unwind_entry called_;             // from there
  bool outermost_ = false;          // the function at pc_ has no caller
};

}  // namespace sennit::detail
