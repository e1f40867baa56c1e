// SPDX-License-Identifier: Apache-2.0
// The instruction that tells the processor that this thread is spinning.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sennit::detail {

inline void relax() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // `yield` does nothing on most cores
#endif
}

}  // namespace sennit::detail
