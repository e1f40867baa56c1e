// The call instruction before a return address.
#pragma once

#include <cstdint>

namespace sennit::detail {

// Whether the instruction that ends at `address` is a call. It reads no code before `begin`.
bool is_behind_call(std::uintptr_t address, std::uintptr_t begin) noexcept;

// The function that the call before `address` calls, through a linkage table, too; 0 if the code does not tell.
// Precondition: is_behind_call().
std::uintptr_t called_before(std::uintptr_t address) noexcept;

}  // namespace sennit::detail
