// Where the counterpart of an instruction is: the tables that rollforward writes into objects, as seen at run time.
// docs/design/rollforward.md has their form.
#pragma once

#include <cstdint>

namespace sennit::detail {

// One pair, counted from where its procedure begins in either copy.
struct address_pair {
  std::uint32_t first;
  std::uint32_t second;  // with `padding_follows`
};

// The addresses up to the next pair's are padding, which does nothing.
inline constexpr std::uint32_t padding_follows = 0x8000'0000;

struct paired_procedure {
  std::uintptr_t first;  // [first, first_end) and [second, second_end)
  std::uintptr_t first_end;
  std::uintptr_t second;
  std::uintptr_t second_end;
  const address_pair* pairs;  // the last one is the end
  std::uint32_t count;
};

// The tables of an executable or shared object. Once published it stays in memory, so that nobody needs a
// lock to read it.
struct paired_module {
  paired_module* next;
  const void* key;
  const paired_procedure* by_first;  // sorted
  const paired_procedure* by_second;
  std::uint32_t count;
  bool live;  // false once it is unloaded; atomic
};

enum class copy_of_code : std::uint8_t { none, first, second };

struct place_in_code {
  copy_of_code copy;      // which one the address is in
  std::uintptr_t paired;  // if that is the first and it is the address of an instruction, else 0
};

// Of the next instruction that a thread executes. Async-signal-safe, keeps vector and x87 registers;
// logarithmic.
place_in_code find_instruction(std::uintptr_t address) noexcept;

// Of the place that a call returns to. It belongs to the procedure that has the call, even where it is that
// one's end.
place_in_code find_return(std::uintptr_t address) noexcept;

// Where the list of modules begins; atomic.
extern paired_module* paired_modules;

}  // namespace sennit::detail
