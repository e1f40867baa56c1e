// SPDX-License-Identifier: Apache-2.0
// The cheapest clock, for loops that measure their chunks.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#elif !defined(__aarch64__)
#include <chrono>
#endif

namespace sennit::detail {

// About a third of a nanosecond; good enough for ratios and orders of magnitude.
using ticks = std::uint64_t;

// The reading is not ordered with the surrounding code, because that would cost more than the reading.
SENNIT_INLINE ticks read_clock() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  // The counter of all cores, of 24 MHz to 1 GHz: a reading may be the same as the one before.
  ticks count;
  ticks frequency;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  asm("mrs %0, cntfrq_el0"
      : "=r"(frequency));  // the same always, so the compiler may keep it and what follows of it
  return count * (3'000'000'000 / frequency);
#else
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return 3 * static_cast<ticks>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
#endif
}

}  // namespace sennit::detail
