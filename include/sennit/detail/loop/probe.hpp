// SPDX-License-Identifier: Apache-2.0
// What tells whether the compiler sees all that an iteration of a loop does.
#pragma once

namespace sennit::detail {

// A type that no program has objects of: a store of an iteration cannot reach one, so that the compiler knows what has been
// written to it before. Of an integer it does not: GCC lets a store to an int change a char32_t.
enum class probe : unsigned { unset, set };

}  // namespace sennit::detail
