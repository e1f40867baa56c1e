// SPDX-License-Identifier: Apache-2.0
// Promotion points: places in plain C++ loops and recursive functions where latent parallelism may become a
// task once a beat has come. Without a beat they cost nothing.
#pragma once

#include <sennit/detail/config.hpp>
#if !defined(__x86_64__)
#include <sennit/detail/polled_beats.hpp>
#endif

// SENNIT_PROMOTION_POINT(statements...);
//
// If a beat has come since the thread was last here, the statements run here. They may change the function's
// variables, use `break`, `continue` and `return`, throw, and call any function. Without a beat nothing
// happens, and the code has no instruction for the point: the compiler optimizes the surrounding code as if
// the point were absent.
//
// Compile the target with sennit_rollforward(target) of the CMake package. Without it, the program does not
// link: the linker names what is missing. With SENNIT_NO_PROMOTION_POINTS defined, the program runs as if
// there were no promotion points.
//
// On a CPU other than x86-64, nothing is rolled forward. There each promotion point asks whether a beat has
// come, of the source `polled`: a load, and a call while any thread has such beats.
//
// A promotion point may be in any function that is not constexpr, also in templates and inline functions,
// any number of times. Put it at the end of a chunk of a loop, not into the innermost loop: compilers do not
// vectorize a loop with a promotion point.
//
// Thread-safety: that of the statements. Cost without a beat: variables that the statements change by
// reference are in memory around the point, and the function has a second copy in cold code. Cost with a
// beat: the signal, some tens of nanoseconds to move to the second copy, and the statements. Rainey et al.,
// "Task Parallel Assembly Language for Uncompromising Parallelism", 2021, 3.2.
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

// Gives each label its own name.
#define SENNIT_PROMOTION_POINT_NAME(prefix, number) SENNIT_PROMOTION_POINT_NAME_(prefix, number)
#define SENNIT_PROMOTION_POINT_NAME_(prefix, number) prefix##number

#define SENNIT_PROMOTION_POINT_TEXT(number) SENNIT_PROMOTION_POINT_TEXT_(number)
#define SENNIT_PROMOTION_POINT_TEXT_(number) #number

// SENNIT_NO_PROMOTION_POINTS removes all promotion points: for targets that are not rolled forward, and to show
// what promotion points change in a function (rollforward --without).
#if defined(__x86_64__) && !defined(SENNIT_NO_PROMOTION_POINTS)
// Refers to a symbol that nobody defines; the linker prints its name. The tool takes the reference out of what it rolls
// forward. The section is not loaded, and stays ("R") if the linker collects garbage. The symbol is hidden because a
// shared object may lack other symbols.
#define SENNIT_PROMOTION_POINT_REFUSAL                                                                       \
  "\n\t.pushsection .sennit_not_rolled_forward,\"R\"\n\t.hidden " SENNIT_PROMOTION_POINT_REMEDY              \
  "\n\t.quad " SENNIT_PROMOTION_POINT_REMEDY "\n\t.popsection"
#define SENNIT_PROMOTION_POINT_REMEDY                                                                        \
  "promotion_points_are_not_rolled_forward__use_sennit_rollforward_or_define_SENNIT_NO_PROMOTION_POINTS"

// The assembler sees a comment, with the line for beats::report(), and the refusal. The compiler sees a jump that may be taken, and so makes the code at
// the label for the registers as they are here. The tool rollforward (tools/rollforward) makes the jump.
// `inline`: compilers then count the statement as nothing when they decide what to inline.
#define SENNIT_PROMOTION_POINT_AT(label, ...)                                                                \
  {                                                                                                          \
    asm inline goto("# sennit_promotion_point %l0 " SENNIT_PROMOTION_POINT_TEXT(__LINE__)                    \
                        SENNIT_PROMOTION_POINT_REFUSAL                                                       \
                    :                                                                                        \
                    :                                                                                        \
                    :                                                                                        \
                    : label);                                                                                \
    if (false) {                                                                                             \
    label:                                                                                                   \
      [[unlikely]] { __VA_ARGS__; }                                                                          \
    }                                                                                                        \
  }                                                                                                          \
  static_cast<void>(0)
#elif !defined(SENNIT_NO_PROMOTION_POINTS)
#define SENNIT_PROMOTION_POINT_AT(label, ...)                                                                \
  {                                                                                                          \
    if (::sennit::detail::any_polled_beats() && ::sennit::detail::polled_beat_due()) [[unlikely]] {          \
      __VA_ARGS__;                                                                                           \
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
