// SENNIT_ASSERT(condition): what holds here whatever programs do. Where it does not hold, the fault is Sennit's
// own; what a program does against the rules is a case for misuse() (misuse.hpp).
//
// It is on in Debug builds of this repository, in the checked variant, and where CMake is given
// SENNIT_ASSERTIONS=ON. Elsewhere the condition is not evaluated, and costs no instruction. No type has another
// layout where it is on, so files with it and without it go together.
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
// The names in it count as used, and it has to compile.
#define SENNIT_ASSERT(...) static_cast<void>(true || static_cast<bool>(__VA_ARGS__))
#endif
