// Colors: the places whose memory may be nearest to a task's data.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstdint>

namespace sennit::detail {

class runtime_core;

// One bit for each color.
using color_set = std::uint64_t;
inline constexpr color_set all_colors = ~color_set{0};

inline constexpr unsigned most_colors = 64;
static_assert(most_colors == 8 * sizeof(color_set));

// Precondition: color < most_colors.
constexpr color_set color_bit(unsigned color) noexcept { return color_set{1} << color; }

enum class color_kind : unsigned char { workers, caches, nodes };

// The number of colors of the calling strand's runtime, or else of the default runtime; and the color of the
// worker that runs the call.
SENNIT_EXPORT unsigned color_count(color_kind kind);
// The same, but throws std::runtime_error if there are more than most_colors.
SENNIT_EXPORT unsigned color_count_of_run(color_kind kind);
SENNIT_EXPORT unsigned color_here(color_kind kind) noexcept;
// The color of the worker that runs the call; all colors while no colored graph runs. Precondition: the
// calling thread is a worker.
SENNIT_EXPORT color_set own_color() noexcept;

// While an object lives, thieves of the calling strand's runtime first look for work of their own colors.
class SENNIT_EXPORT colored_run {
 public:
  // The parameters are those of graph::coloring.
  colored_run(color_kind kind, unsigned first_steal_attempts, unsigned colored_attempts) noexcept;
  colored_run(const colored_run&) = delete;
  colored_run& operator=(const colored_run&) = delete;
  ~colored_run();

 private:
  runtime_core& core_;
};

}  // namespace sennit::detail
