// The floating-point environment of a region: rounding, exceptions masked, denormals.
#pragma once

#include <sennit/region.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sennit::detail {

inline void capture_float_environment(region_state& region) noexcept {
#if defined(__x86_64__)
  region.mxcsr = _mm_getcsr();
  asm volatile("fnstcw %0" : "=m"(region.x87_control));
#else
  (void)region;
#endif
}

// Before a strand of the region starts here. Switching fibers saves and restores the environment by itself.
inline void enter_float_environment(const region_state& region) noexcept {
#if defined(__x86_64__)
  // Loading either word is slow, and it is the same as before nearly always.
  // The sticky flags are the thread's own.
  constexpr unsigned flags = 0x3f;
  const unsigned mxcsr = _mm_getcsr();
  if (((mxcsr ^ region.mxcsr) & ~flags) != 0) _mm_setcsr(region.mxcsr & ~flags);
  unsigned short x87_control = 0;
  asm volatile("fnstcw %0" : "=m"(x87_control));
  if (x87_control != region.x87_control) asm volatile("fldcw %0" : : "m"(region.x87_control));
#else
  (void)region;
#endif
}

}  // namespace sennit::detail
