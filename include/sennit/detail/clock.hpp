// The cheapest clock there is, for loops that measure their chunks.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace sennit::detail {

// A third of a nanosecond, more or less: good for ratios and for orders of magnitude.
using ticks = std::uint64_t;

// Not ordered with the code around it, which would cost more than the reading.
SENNIT_INLINE ticks read_clock() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return 3 * static_cast<ticks>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
#endif
}

}  // namespace sennit::detail
