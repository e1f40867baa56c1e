// How many calls are spliced together, and how large their steps are, if the user does not say.
#pragma once

#include <cstdint>

namespace sennit::policy {

struct cache_sizes {
  std::uint64_t own;     // of a core: the second level
  std::uint64_t shared;  // by all: the last one
};

// How many calls are interleaved, if the user does not say: more gain next to nothing.
inline constexpr std::uint32_t calls_together = 32;

// Whether a step that touches so many bytes is small enough: one step of each call that is interleaved fits
// the shared cache, beside those of the other workers, or the core's own; and one step fits half of the
// core's own.
constexpr bool step_fits(std::uint64_t bytes, std::uint64_t together, std::uint64_t workers,
                         cache_sizes caches) noexcept {
  const std::uint64_t part = caches.shared / (4 * (workers + 1));
  const std::uint64_t window = part > caches.own ? part : caches.own;
  return bytes <= caches.own / 2 && bytes * together <= window;
}

// Whether steps are too short for what it costs to get from one to the next, so that twice as large ones are
// better.
constexpr bool step_is_short(double ns, double overhead_ns) noexcept { return ns < 30 * overhead_ns; }

}  // namespace sennit::policy
