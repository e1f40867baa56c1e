// What a color stands for.
#pragma once

#include <cstdint>

namespace sennit::detail {

// A color among `count`, as one of 64 bits. Where there are more, neighbors, which tend to be near each other, share one.
constexpr std::uint64_t color_bit(unsigned color, unsigned count) noexcept {
  return std::uint64_t{1} << (count <= 64 ? color : static_cast<unsigned>(std::uint64_t{color} * 64 / count));
}

enum class color_kind : unsigned char { workers, caches, nodes };

// The colors of the runtime of the calling strand, or of the default one, and that of the worker that runs the call.
unsigned color_count(color_kind kind);
unsigned color_here(color_kind kind) noexcept;

// While one lives, thieves of the runtime of the calling strand look for work of their own colors.
class colored_run {
 public:
  // As in graph::coloring.
  colored_run(color_kind kind, unsigned first_steal_attempts, unsigned colored_attempts) noexcept;
  colored_run(const colored_run&) = delete;
  colored_run& operator=(const colored_run&) = delete;
  ~colored_run();

 private:
  void* core_;
};

}  // namespace sennit::detail
