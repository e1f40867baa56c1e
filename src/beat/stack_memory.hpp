// SPDX-License-Identifier: Apache-2.0
// The live part of the stack that a signal has interrupted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sennit::detail {

// Gives words of the stack only, and only readable ones, whatever addresses it is asked for. A fiber's stack
// is known. Any other reaches from the stack pointer to the thread's own record, which is at the top of its
// stack, or else to the first page that cannot be read; the system says which can. Async-signal-safe.
class stack_memory {
 public:
  explicit stack_memory(std::uintptr_t stack_pointer) noexcept;

  // Null if the word is not on the stack.
  std::uintptr_t* word(std::uintptr_t address) noexcept {
    return has(address, sizeof(std::uintptr_t)) ? reinterpret_cast<std::uintptr_t*>(address) : nullptr;
  }
  // Whether all of it is on the stack.
  bool has(std::uintptr_t address, std::size_t bytes) noexcept;

 private:
  std::uintptr_t begin_;
  std::uintptr_t seen_;  // readable up to here
  std::uintptr_t end_;
  unsigned looks_ = 0;
};

// Whether the page can be read. A system call.
bool readable(std::uintptr_t address) noexcept;

// For words of a stack, which belong to other functions.
std::uintptr_t load_word(const std::uintptr_t* word) noexcept;
void store_word(std::uintptr_t* word, std::uintptr_t value) noexcept;

}  // namespace sennit::detail
