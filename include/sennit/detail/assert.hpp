// SPDX-License-Identifier: Apache-2.0
// SENNIT_ASSERT(condition): a condition that holds whatever programs do. If it does not hold, the library
// has a fault. For a program that breaks a rule there is misuse() (misuse.hpp).
//
// Assertions are on in Debug builds of this repository, in the checked variant, and if CMake is given
// SENNIT_ASSERTIONS=ON. Otherwise the condition is not evaluated, and costs no instruction. Assertions
// change the layout of no type, so files with and without them can be linked together.
#pragma once

#include <sennit/detail/config.hpp>

#if !defined(SENNIT_ASSERTIONS)
#define SENNIT_ASSERTIONS SENNIT_CHECKED
#endif

namespace sennit::detail {

// Prints "sennit: FILE:LINE: broken invariant: CONDITION" to stderr and ends the program.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void broken_invariant(const char* condition, const char* file,
                                                             unsigned line) noexcept;

}  // namespace sennit::detail

#if SENNIT_ASSERTIONS
#define SENNIT_ASSERT(...)                                                                                   \
  (static_cast<bool>(__VA_ARGS__)                                                                            \
       ? static_cast<void>(0)                                                                                \
       : ::sennit::detail::broken_invariant(#__VA_ARGS__, __FILE__, static_cast<unsigned>(__LINE__)))
#else
// The condition must compile, and the names in it count as used.
#define SENNIT_ASSERT(...) static_cast<void>(true || static_cast<bool>(__VA_ARGS__))
#endif
