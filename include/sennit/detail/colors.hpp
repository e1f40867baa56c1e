// Colors: the places that a task's data may be near to.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstdint>

namespace sennit::detail {

class runtime_core;

// A bit each.
using color_set = std::uint64_t;
inline constexpr color_set all_colors = ~color_set{0};

inline constexpr unsigned most_colors = 64;
static_assert(most_colors == 8 * sizeof(color_set));

// Precondition: color < most_colors.
constexpr color_set color_bit(unsigned color) noexcept { return color_set{1} << color; }

enum class color_kind : unsigned char { workers, caches, nodes };

// The colors of the runtime of the calling strand, or of the default one, and that of the worker that runs
// the call.
SENNIT_EXPORT unsigned color_count(color_kind kind);
// The same, to be told apart. Throws std::runtime_error beyond most_colors.
SENNIT_EXPORT unsigned color_count_of_run(color_kind kind);
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
