// The graphs of the kernels that go over blocks of a grid step by step.
#pragma once

#include "gallery/fdtd_2d.hpp"
#include "gallery/graphs.hpp"
#include "gallery/heat.hpp"
#include "gallery/life.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace gallery {

template <class Fill>
auto graph_of(heat& plates, std::size_t steps, const Fill& fill) {
  return step_graph{steps, plates.blocks()}.with([&](std::size_t step, std::size_t block) {
    step == 0 ? plates.initialize_block(block, fill) : plates.step_block(step, block);
  });
}

template <class Fill>
auto graph_of(life& board, std::size_t steps, const Fill& fill) {
  return step_graph{steps, board.blocks(), true}.with([&](std::size_t step, std::size_t block) {
    step == 0 ? board.initialize_block(block, fill) : board.step_block(step, block);
  });
}

// Two steps of the graph are one of the field.
inline auto graph_of(fdtd_2d& field, std::size_t steps) {
  return step_graph{2 * steps, field.blocks()}.with(
      [](std::uint32_t half) { return half % 2 == 1 ? std::pair(1, 0) : std::pair(0, 1); },
      [&](std::size_t half, std::size_t block) {
        if (half == 0) return field.initialize_block(block);
        half % 2 == 1 ? field.electric_block(half / 2, block) : field.magnetic_block(block);
      });
}

}  // namespace gallery
