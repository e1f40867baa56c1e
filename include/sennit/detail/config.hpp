// What the compiler is asked for, in one place.
#pragma once

#if __cplusplus < 202002L
#error "Sennit needs C++20: compile with -std=c++20 or later"
#endif

// The effect checker's instrumentation is TSan's, without TSan.
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

// The checked variant of the library (sennit-checked) says what a program does against the rules.
#if !defined(SENNIT_CHECKED)
#define SENNIT_CHECKED 0
#endif

// Defined in the library and used by programs. All else is hidden: nm -D of a shared library shows these
// alone.
#define SENNIT_EXPORT [[gnu::visibility("default")]]

// Always inlined: a fork is a handful of instructions, and a call around them would cost as much again.
#define SENNIT_INLINE [[gnu::always_inline]] inline
// Never inlined and out of the way: what a fork does only when a gate is shut.
#define SENNIT_COLD [[gnu::noinline, gnu::cold]]

// Never inlined, and fast: compilers take what ends in a slow path for slow.
#define SENNIT_HOT [[gnu::noinline, gnu::hot]]

namespace sennit::detail {

// For the static_assert of a template that is there to say what is wrong.
template <class...>
inline constexpr bool never = false;

// The same object, its address computed anew where this is used. Compilers otherwise compute it once,
// for the slow paths, and keep it in a callee-saved register that every call of the fast path has to save.
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
