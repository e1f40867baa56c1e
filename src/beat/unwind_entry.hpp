// SPDX-License-Identifier: Apache-2.0
// The call frame information (CFI) that a module has for a function.
#pragma once

#include "beat/byte_reader.hpp"

#include <cstdint>

namespace sennit::detail {

// Which promises the CFI of a module keeps.
enum class unwind_trust : std::uint8_t {
  exact,     // made by a compiler, right at each instruction
  at_calls,  // libc: partly made by hand; good for what a second look confirms
  never,     // libgcc, the dynamic linker, vDSO: these remove frames that are not their own
};

// A function, or a part of one, in the text of a loaded module.
struct unwind_entry {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  byte_reader initial;  // CFI instructions of all functions of this kind
  byte_reader own;      // and of this one
  std::uint64_t code_factor = 1;
  std::int64_t data_factor = 1;
  unsigned address_encoding = 0;
  unwind_trust trust = unwind_trust::never;
  bool signal_frame = false;

  explicit operator bool() const noexcept { return begin != end; }
};

// Empty where no module has an entry for the address. Async-signal-safe; takes no lock.
unwind_entry find_unwind_entry(std::uintptr_t address) noexcept;

}  // namespace sennit::detail
