// SPDX-License-Identifier: Apache-2.0
// All macros for compilers and for variants of the build.
#pragma once

#if __cplusplus < 202002L
#error "Sennit needs C++20: compile with -std=c++20 or later"
#endif

#if !defined(__linux__)
#error                                                                                                       \
    "Sennit runs on Linux, on x86-64 and AArch64: macOS and Windows are not supported, so build it in a virtual machine or a container with Linux"
#endif

// The effect checker uses TSan's instrumentation without TSan.
#if defined(SENNIT_CHECK_EFFECTS)
#define SENNIT_TSAN 0
#elif defined(__SANITIZE_THREAD__)
#define SENNIT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SENNIT_TSAN 1
#endif
#endif
#ifndef SENNIT_TSAN
#define SENNIT_TSAN 0
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SENNIT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SENNIT_ASAN 1
#endif
#endif
#ifndef SENNIT_ASAN
#define SENNIT_ASAN 0
#endif

#if defined(__cpp_exceptions)
#define SENNIT_EXCEPTIONS 1
#else
#define SENNIT_EXCEPTIONS 0
#endif

// The checked variant of the library (sennit-checked) reports mistakes of the program.
#if !defined(SENNIT_CHECKED)
#define SENNIT_CHECKED 0
#endif

// Marks what the library defines and programs use. All other symbols are hidden: nm -D of a shared library
// shows only these.
#define SENNIT_EXPORT [[gnu::visibility("default")]]

// Always inlined: a fork is a few instructions, and a call would cost as much again.
#define SENNIT_INLINE [[gnu::always_inline]] inline
// Never inlined, and placed away from hot code: what a fork does only if a gate is shut.
#define SENNIT_COLD [[gnu::noinline, gnu::cold]]

// Never inlined, but optimized for speed: compilers treat a function that ends in a slow path as cold.
#define SENNIT_HOT [[gnu::noinline, gnu::hot]]

namespace sennit::detail {

// The condition of a static_assert in a template that exists only for its message.
template <class...>
inline constexpr bool never = false;

// Returns the same object, but its address is computed at this point. Otherwise compilers compute the address
// once for the slow paths, and keep it in a callee-saved register, which every call of the fast path then has
// to save.
template <class T>
SENNIT_INLINE T& aside(T& object) noexcept {
#if defined(__x86_64__)
  T* address;
  asm("leaq %1, %0" : "=r"(address) : "m"(object));
  return *address;
#else
  return object;
#endif
}

}  // namespace sennit::detail
