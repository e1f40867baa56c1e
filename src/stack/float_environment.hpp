// SPDX-License-Identifier: Apache-2.0
// The floating-point environment of a region: rounding, exceptions masked, denormals.
#pragma once

#include <sennit/region.hpp>

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sennit::detail {

#if defined(__aarch64__)
inline std::uint32_t read_fpcr() noexcept {
  std::uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return static_cast<std::uint32_t>(fpcr);
}

// Writing the register is slow, and it is the same as before nearly always.
inline void ensure_fpcr(std::uint32_t fpcr) noexcept {
  if (read_fpcr() != fpcr) asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{fpcr}) : "memory");
}
#endif

inline void capture_float_environment(region_state& region) noexcept {
#if defined(__x86_64__)
  region.controls.vector = _mm_getcsr();
  asm volatile("fnstcw %0" : "=m"(region.controls.x87));
#elif defined(__aarch64__)
  region.controls.vector = read_fpcr();
#else
  (void)region;
#endif
}

// Before a strand of the region starts here.
inline void enter_float_environment(const region_state& region) noexcept {
#if defined(__x86_64__)
  // Loading either word is slow, and it is the same as before nearly always.
  // The sticky flags are the thread's own.
  constexpr unsigned flags = 0x3f;
  const unsigned mxcsr = _mm_getcsr();
  if (((mxcsr ^ region.controls.vector) & ~flags) != 0) _mm_setcsr(region.controls.vector & ~flags);
  unsigned short x87_control = 0;
  asm volatile("fnstcw %0" : "=m"(x87_control));
  if (x87_control != region.controls.x87) asm volatile("fldcw %0" : : "m"(region.controls.x87));
#elif defined(__aarch64__)
  ensure_fpcr(region.controls.vector);
#else
  (void)region;
#endif
}

// Around the switch to another stack: code goes on under the environment that it had when it left its stack.
// On x86-64 the switch itself sees to that.
class kept_float_environment {
 public:
  kept_float_environment() = default;
  kept_float_environment(const kept_float_environment&) = delete;
  kept_float_environment& operator=(const kept_float_environment&) = delete;
#if defined(__aarch64__)
  ~kept_float_environment() { ensure_fpcr(before_); }

 private:
  const std::uint32_t before_ = read_fpcr();
#else
  ~kept_float_environment() {}
#endif
};

}  // namespace sennit::detail
