// Promotion points: places in plain C++ loops and recursive functions where latent parallelism may become a
// task, once a beat has come. Until then they cost nothing.
#pragma once

#include <sennit/detail/config.hpp>

// SENNIT_PROMOTION_POINT(statements...);
//
// `statements` run here when a beat has come since the thread was here last; they may change the function's
// variables, `break`, `continue`, `return`, throw, and call what they like. Without a beat nothing happens,
// and no instruction is there for it: the compiler keeps what lies outside of the statements as fast as if
// they were not written. The target has to be compiled with sennit_rollforward(target) of the CMake package;
// else, or on another CPU than x86-64, no beat ever comes and the program runs as if there were no promotion
// points.
//
// It stands in functions that are not constexpr, templates and inline ones too, as often as is wanted. Put it
// at the end of a chunk of a loop, not into the innermost loop: the compiler vectorizes no loop that has one
// in it.
//
// Thread-safe as far as the statements are. Cost: none without a beat, but that variables which the
// statements change by reference live in memory around them; a second copy of the function in cold code; with
// a beat, the signal, some tens of nanoseconds to move, and the statements. Rainey et al., "Task Parallel
// Assembly Language for Uncompromising Parallelism", 2021, 3.2.
//
// Example:
//   #include <cstddef>
//
//   long sum(const int* data, std::size_t n, void (*beat)(std::size_t left)) {
//     long s = 0;
//     for (std::size_t i = 0; i < n;) {
//       const std::size_t end = n - i > 512 ? i + 512 : n;
//       for (; i < end; ++i) s += data[i];
//       SENNIT_PROMOTION_POINT(beat(n - i));
//     }
//     return s;
//   }
//
#define SENNIT_PROMOTION_POINT(...)                                                                          \
  SENNIT_PROMOTION_POINT_AT(SENNIT_PROMOTION_POINT_NAME(sennit_promotion_point_, __COUNTER__), __VA_ARGS__)

// The label's name is another each time.
#define SENNIT_PROMOTION_POINT_NAME(prefix, number) SENNIT_PROMOTION_POINT_NAME_(prefix, number)
#define SENNIT_PROMOTION_POINT_NAME_(prefix, number) prefix##number

// With SENNIT_NO_PROMOTION_POINTS there are none: to see what they change in a function (rollforward
// --without).
#if defined(__x86_64__) && !defined(SENNIT_NO_PROMOTION_POINTS)
// What the assembler sees is a comment. The compiler sees a jump that may be taken, and makes the code at the
// label for the registers as they are here; rollforward (tools/rollforward) makes the jump. `inline`: it
// weighs nothing when the compiler decides what to inline.
#define SENNIT_PROMOTION_POINT_AT(label, ...)                                                                \
  {                                                                                                          \
    asm inline goto("# sennit_promotion_point %l0" : : : : label);                                           \
    if (false) {                                                                                             \
    label:                                                                                                   \
      [[unlikely]] { __VA_ARGS__; }                                                                          \
    }                                                                                                        \
  }                                                                                                          \
  static_cast<void>(0)
#else
#define SENNIT_PROMOTION_POINT_AT(label, ...)                                                                \
  {                                                                                                          \
    if (false) {                                                                                             \
      __VA_ARGS__;                                                                                           \
    }                                                                                                        \
  }                                                                                                          \
  static_cast<void>(0)
#endif
