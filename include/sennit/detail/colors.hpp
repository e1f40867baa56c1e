// Colors: the places that a task's data may be near to.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstdint>

namespace sennit::detail {

class runtime_core;

// A bit each.
using color_set = std::uint64_t;
inline constexpr color_set all_colors = ~color_set{0};

inline constexpr unsigned colors_told_apart = 64;
static_assert(colors_told_apart == 8 * sizeof(color_set));

// A color among `count`, as a bit. Where there are more colors than bits, neighbors, which tend to be near
// each other, share one.
constexpr color_set color_bit(unsigned color, unsigned count) noexcept {
  const std::uint64_t bit =
      count <= colors_told_apart ? color : std::uint64_t{color} * colors_told_apart / count;
  return color_set{1} << bit;
}

enum class color_kind : unsigned char { workers, caches, nodes };

// The colors of the runtime of the calling strand, or of the default one, and that of the worker that runs
// the call.
SENNIT_EXPORT unsigned color_count(color_kind kind);
SENNIT_EXPORT unsigned color_here(color_kind kind) noexcept;
// That of the worker that runs the call; all of them while no colored graph runs. Precondition: there is a
// worker.
SENNIT_EXPORT color_set own_color() noexcept;

// While one lives, thieves of the runtime of the calling strand look for work of their own colors.
class SENNIT_EXPORT colored_run {
 public:
  // As in graph::coloring.
  colored_run(color_kind kind, unsigned first_steal_attempts, unsigned colored_attempts) noexcept;
  colored_run(const colored_run&) = delete;
  colored_run& operator=(const colored_run&) = delete;
  ~colored_run();

 private:
  runtime_core& core_;
};

}  // namespace sennit::detail
