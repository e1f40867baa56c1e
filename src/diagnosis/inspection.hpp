// SPDX-License-Identifier: Apache-2.0
// Reads facts of strands from memory that other threads may change or free meanwhile. The watchdog and
// debuggers use it.
#pragma once

#include "stack/fiber.hpp"

#include <sennit/detail/fork/frame.hpp>

#include <cstddef>
#include <string>

namespace sennit::detail {

// Copies bytes of the process from where there may be no memory any more. False: there is none.
bool peek(void* to, const void* from, std::size_t bytes) noexcept;

template <class T>
bool peek(T& to, const T* from) noexcept {
  return peek(static_cast<void*>(&to), static_cast<const void*>(from), sizeof to);
}

// "function (module+0x123)", as far as it is known: the second is what addr2line takes.
std::string name_of_place(const void* address);

// What is known of a strand, at some moment between two others.
struct strand_facts {
  const frame* branch = nullptr;  // that it began with
  const void* code = nullptr;     // of that branch
  const fiber* opener = nullptr;  // whose strand opened it
  std::ptrdiff_t awaited = 0;     // how many branches it waits for, having been left; 0: none
  std::string line;               // of the construct that it is in; empty: not known
};
bool look_at(const fiber& strand, strand_facts& found);

}  // namespace sennit::detail
