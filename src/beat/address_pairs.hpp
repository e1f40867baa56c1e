// SPDX-License-Identifier: Apache-2.0
// The counterparts of instructions: the tables that rollforward writes into objects, as the running program
// sees them. docs/design/rollforward.md describes their form.
#pragma once

#include <cstdint>

namespace sennit::detail {

// One pair, relative to the begin of the procedure in either copy.
struct address_pair {
  std::uint32_t first;
  std::uint32_t second;  // may include a flag
};

// The addresses up to those of the next pair are padding, which does nothing.
inline constexpr std::uint32_t padding_follows = 0x8000'0000;
// The address is behind a call: only a return leads to this pair.
inline constexpr std::uint32_t behind_call = 0x4000'0000;
inline constexpr std::uint32_t flags_of_pair = padding_follows | behind_call;
// Both: behind a call that is latent while it goes on. The counterpart leads to the promotion point that follows.
inline constexpr std::uint32_t behind_latent_call = flags_of_pair;

// A promotion point of a second copy. The next record is behind the name, aligned to eight.
struct point_record {
  std::uint64_t taken;      // atomic
  std::uintptr_t function;  // the first copy
  std::uint32_t line;       // 0: not known
  std::uint32_t name_bytes;
  const char* name() const noexcept { return reinterpret_cast<const char*>(this + 1); }
};

struct paired_procedure {
  std::uintptr_t first;  // [first, first_end) and [second, second_end)
  std::uintptr_t first_end;
  std::uintptr_t second;
  std::uintptr_t second_end;
  const address_pair* pairs;  // the last one is the end
  std::uint32_t count;
};

// The tables of an executable or a shared object. After publication they stay in memory, so that no reader
// needs a lock.
struct paired_module {
  paired_module* next;
  const void* key;
  const paired_procedure* by_first;  // sorted
  const paired_procedure* by_second;
  std::uint32_t count;
  bool live;  // false once it is unloaded; atomic
  const point_record* points;
  const point_record* points_end;
};

enum class copy_of_code : std::uint8_t { none, first, second };

struct place_in_code {
  copy_of_code copy;  // the copy that has the address
  std::uintptr_t
      paired;  // the counterpart if the address is that of an instruction of the first copy, else 0
};

// All of these are async-signal-safe, do not change vector and x87 registers, and are logarithmic.
//
// The next instruction that an interrupted thread will execute.
place_in_code find_instruction(std::uintptr_t address) noexcept;

// The target of a jump whose address the code has computed, or a function that is called.
place_in_code find_target(std::uintptr_t address) noexcept;

// The place to which a call returns. The place belongs to the procedure that has the call, even if it is the
// end of that procedure. There is no counterpart if no call is before the address.
place_in_code find_return(std::uintptr_t address) noexcept;

// The counterpart of a place to which a latent call returns; 0 for other places.
std::uintptr_t find_latent_return(std::uintptr_t address) noexcept;

// Whether a module with such places has been loaded; atomic.
extern bool any_latent_calls;

// The first module of the list; atomic.
extern paired_module* paired_modules;

}  // namespace sennit::detail
