// SPDX-License-Identifier: Apache-2.0
// What sennit_check_effects() puts before all code. Compilers write copies of a known size, and comparisons of a known size, as
// instructions that no sanitizer sees. A size that is not known makes them calls. Nobody returns to address zero, which compilers
// do not know: for them, the size may be large. -fno-builtin does not do this for the names that begin with __builtin, which the
// C++ library uses.
//
// Preprocessor lines only: a precompiled header may follow.
#pragma GCC system_header
#define SENNIT_UNKNOWN_ZERO (!__builtin_return_address(0) * 0x10000000u)
#ifdef __cplusplus
#define SENNIT_UNKNOWN_SIZE(n) ((n) + (__builtin_is_constant_evaluated() ? 0u : SENNIT_UNKNOWN_ZERO))
#else
#define SENNIT_UNKNOWN_SIZE(n) ((n) + SENNIT_UNKNOWN_ZERO)
#endif
#define __builtin_memcmp(a, b, n) __builtin_memcmp(a, b, SENNIT_UNKNOWN_SIZE(n))
#ifndef __clang__
#define __builtin_memcpy(to, from, n) __builtin_memcpy(to, from, SENNIT_UNKNOWN_SIZE(n))
#define __builtin_memmove(to, from, n) __builtin_memmove(to, from, SENNIT_UNKNOWN_SIZE(n))
#define __builtin_memset(to, value, n) __builtin_memset(to, value, SENNIT_UNKNOWN_SIZE(n))
#endif
