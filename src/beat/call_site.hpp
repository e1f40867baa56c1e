// SPDX-License-Identifier: Apache-2.0
// The call instruction before a return address.
#pragma once

#include <cstdint>

namespace sennit::detail {

// Whether the instruction that ends at `address` is a call. It reads no code before `begin`.
bool is_behind_call(std::uintptr_t address, std::uintptr_t begin) noexcept;

// Whether the call before `address` is one of `function`: by its name, and through code that only jumps.
// Precondition: is_behind_call().
bool leads_to(std::uintptr_t address, std::uintptr_t function) noexcept;

}  // namespace sennit::detail
