// How many calls are interleaved, and how large their steps are, unless the program says so.
#pragma once

#include <array>
#include <cstdint>

namespace sennit::policy {

struct cache_sizes {
  std::uint64_t first;   // of one core: the first level, for data
  std::uint64_t own;     // of one core: the second level
  std::uint64_t shared;  // of all cores: the last level
};

// The number of interleaved calls, unless the program gives one. A larger number gains almost nothing.
inline constexpr std::uint32_t calls_together = 32;

// Calls in more calls than these run unspliced. The walk takes a few kilobytes of its strand's stack for each level.
inline constexpr std::uint32_t deepest_call = 1000;

// Whether a step that touches this number of bytes is small enough. One step of each interleaved call must
// fit the shared cache, beside the steps of the other workers, or fit the core's own cache. One step must
// fit half of the core's own cache.
constexpr bool step_fits(std::uint64_t bytes, std::uint64_t together, std::uint64_t workers,
                         cache_sizes caches) noexcept {
  const std::uint64_t part = caches.shared / (4 * (workers + 1));
  const std::uint64_t window = part > caches.own ? part : caches.own;
  return bytes <= caches.own / 2 && bytes * together <= window;
}

// How many bytes a step may touch where all interleaved calls use the same data, from the best on: most of the
// first level; less than the core's own cache, as effects often leave out what nobody writes, such as
// coefficients; half of the core's own cache. A step of less than 32 KiB would take little more time than the
// change to the next one.
constexpr std::array<std::uint64_t, 3> shifted_step_bytes(cache_sizes caches) noexcept {
  const std::uint64_t first = caches.first / 4 * 3;
  const std::uint64_t second = caches.own / 16;
  return {first < 32 << 10 ? second : first, second, caches.own / 2};
}

// Whether trees may be shifted so far that the data between the first and the last one takes this number of
// bytes. All of it is in use at a time, as one block of each tree is without shifts. Beyond the core's own
// cache, that is soon no gain.
constexpr bool shift_fits(std::uint64_t bytes, cache_sizes caches) noexcept {
  return bytes <= 2 * caches.own;
}

// Whether steps are too short compared with the cost of the change from one step to the next. Steps of twice
// the size are then better.
constexpr bool step_is_short(double ns, double overhead_ns) noexcept { return ns < 30 * overhead_ns; }

}  // namespace sennit::policy
