// SPDX-License-Identifier: Apache-2.0
#include "beat/call_site.hpp"

#include "beat/stack_memory.hpp"

#include <cstring>
#include <initializer_list>

namespace sennit::detail {

namespace {

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CALL and 2.1.
constexpr unsigned char call_relative = 0xe8;
constexpr unsigned call_relative_bytes = 5;
constexpr unsigned char group_5 = 0xff;
constexpr unsigned char call_in_group = 2;
constexpr unsigned char call_through_memory = 0x15;  // relative to the next instruction
constexpr unsigned call_through_memory_bytes = 6;

const unsigned char* code_at(std::uintptr_t address) noexcept {
  return reinterpret_cast<const unsigned char*>(address);
}

template <class T>
T load(std::uintptr_t address) noexcept {
  T value;
  std::memcpy(&value, code_at(address), sizeof value);
  return value;
}

// The address that the last four bytes of an instruction give.
std::uintptr_t relative_to(std::uintptr_t next) noexcept {
  return next + static_cast<std::uintptr_t>(std::intptr_t{load<std::int32_t>(next - 4)});
}

// The length of an indirect call's opcode, ModRM, SIB and displacement. 0: `at` is no such call.
unsigned indirect_call_bytes(const unsigned char* at) noexcept {
  constexpr unsigned displacements[] = {0, 1, 4, 0};
  if (at[0] != group_5 || (at[1] >> 3 & 7) != call_in_group) return 0;
  const unsigned mode = at[1] >> 6;
  const unsigned operand = at[1] & 7U;
  if (mode == 3) return 2;
  const bool has_sib = operand == 4;
  const unsigned base = has_sib ? at[2] & 7U : operand;
  const unsigned displacement = mode == 0 && base == 5 ? 4 : displacements[mode];
  return 2 + (has_sib ? 1 : 0) + displacement;
}

// The word at an address that a linkage table may be at; 0 if nothing is there.
std::uintptr_t linked(std::uintptr_t slot) noexcept {
  return slot % sizeof(std::uintptr_t) == 0 && readable(slot) ? load<std::uintptr_t>(slot) : 0;
}

// Where code that only jumps, such as a stub of the linkage table (PLT), jumps to; 0 if it does more.
std::uintptr_t jumps_to(std::uintptr_t at) noexcept {
  constexpr unsigned char landing_pad[] = {0xf3, 0x0f, 0x1e, 0xfa};  // endbr64
  constexpr unsigned char bound = 0xf2;
  constexpr unsigned char jump_relative = 0xe9;
  constexpr unsigned char jump_through_memory[] = {0xff, 0x25};
  constexpr unsigned longest = 11;
  if (!readable(at) || !readable(at + longest)) return 0;
  if (std::memcmp(code_at(at), landing_pad, sizeof landing_pad) == 0) at += sizeof landing_pad;
  if (*code_at(at) == bound) ++at;
  if (*code_at(at) == jump_relative) return relative_to(at + 5);
  const bool linked_here = std::memcmp(code_at(at), jump_through_memory, sizeof jump_through_memory) == 0;
  return linked_here ? linked(relative_to(at + 6)) : 0;
}

// What the call names; 0 if it names a register, or memory that has changed since.
std::uintptr_t named_by_call_before(std::uintptr_t address) noexcept {
  if (*code_at(address - call_relative_bytes) == call_relative) return relative_to(address);
  const unsigned char* const call = code_at(address - call_through_memory_bytes);
  return call[0] == group_5 && call[1] == call_through_memory ? linked(relative_to(address)) : 0;
}

}  // namespace

bool is_behind_call(std::uintptr_t address, std::uintptr_t begin) noexcept {
  if (address <= begin) return false;
  const std::uintptr_t room = address - begin;
  if (room >= call_relative_bytes && *code_at(address - call_relative_bytes) == call_relative) return true;
  for (const unsigned length : {2U, 3U, 4U, 6U, 7U}) {
    if (room >= length && indirect_call_bytes(code_at(address - length)) == length) return true;
  }
  return false;
}

bool leads_to(std::uintptr_t address, std::uintptr_t function) noexcept {
  // A call of operator delete comes to free() by four jumps.
  constexpr int most_jumps = 6;
  std::uintptr_t target = named_by_call_before(address);
  for (int jumps = 0; target != 0 && jumps < most_jumps; ++jumps) {
    if (target == function) return true;
    target = jumps_to(target);
  }
  return false;
}

}  // namespace sennit::detail
