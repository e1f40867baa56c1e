// SPDX-License-Identifier: Apache-2.0
// The kernels that go over blocks of their data again and again, as stages: a graph of them has no barriers but those that the
// data ask for.
#pragma once

#include "gallery/cg.hpp"
#include "gallery/fdtd_2d.hpp"
#include "gallery/graphs.hpp"
#include "gallery/heat.hpp"
#include "gallery/life.hpp"
#include "gallery/mg.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace gallery {

namespace detail {

// A block needs the blocks from `below` under it to `above` over it of the stage before.
struct reach {
  std::int64_t below;
  std::int64_t above;
};

template <class Reach, class Body>
auto stages_of_blocks(std::size_t count, std::size_t blocks, bool ring, const Reach& reach_of,
                      const Body& body) {
  const auto width = [blocks](std::size_t) { return blocks; };
  const auto needs = [=, n = static_cast<std::int64_t>(blocks)](std::size_t stage, std::size_t block) {
    const auto [below, above] = reach_of(stage);
    const auto b = static_cast<std::int64_t>(block);
    return ring ? std::pair(b - below, b + above + 1)
                : std::pair(std::max<std::int64_t>(b - below, 0), std::min(b + above + 1, n));
  };
  return staged<decltype(width), decltype(needs), Body>{count, width, needs, body};
}

}  // namespace detail

template <class Fill>
auto stages_of(heat& plates, std::size_t steps, const Fill& fill) {
  return detail::stages_of_blocks(
      steps + 1, plates.blocks(), false, [](std::size_t) { return detail::reach{1, 1}; },
      [&](std::size_t stage, std::size_t block) {
        stage == 0 ? plates.initialize_block(block, fill) : plates.step_block(stage, block);
      });
}

template <class Fill>
auto stages_of(life& board, std::size_t steps, const Fill& fill) {
  return detail::stages_of_blocks(
      steps + 1, board.blocks(), true, [](std::size_t) { return detail::reach{1, 1}; },
      [&](std::size_t stage, std::size_t block) {
        stage == 0 ? board.initialize_block(block, fill) : board.step_block(stage, block);
      });
}

// Two stages for each step.
inline auto stages_of(fdtd_2d& field, std::size_t steps) {
  return detail::stages_of_blocks(
      2 * steps + 1, field.blocks(), false,
      [](std::size_t half) { return half % 2 == 1 ? detail::reach{1, 0} : detail::reach{0, 1}; },
      [&](std::size_t half, std::size_t block) {
        if (half == 0) return field.initialize_block(block);
        half % 2 == 1 ? field.electric_block(half / 2, block) : field.magnetic_block(block);
      });
}

// After each stage over the blocks comes one with a single part, which adds up and sets out the next: each row of the matrix has
// entries all over.
inline auto stages_of(cg& solver, std::size_t systems) {
  const auto width = [n = solver.blocks()](std::size_t s) { return s % 2 == 0 ? n : 1; };
  const auto needs = [=](std::size_t s, std::size_t) {
    return std::pair(std::int64_t{0}, static_cast<std::int64_t>(width(s - 1)));
  };
  const auto body = [&solver](std::size_t s, std::size_t block) {
    if (s == 0) return solver.initialize_block(block);
    if (s == 1) return solver.start();
    const cg::stage now = cg::stage_at(s / 2 - 1);
    s % 2 == 0 ? solver.run_block(now, block) : solver.conclude(now);
  };
  return staged<decltype(width), decltype(needs), decltype(body)>{2 * (systems * cg::stages_a_system + 1),
                                                                  width, needs, body};
}

// The operations of a cycle to set the grids up, the charges, and then those of each cycle.
inline auto stages_of(mg& solver, std::size_t cycles) {
  const std::size_t of_cycle = solver.operations();
  const auto operation = [=](std::size_t s) { return s < of_cycle ? s : (s - of_cycle - 1) % of_cycle; };
  const auto width = [=, &solver](std::size_t s) {
    return s == of_cycle ? 1 : solver.iterations(operation(s));
  };
  const auto needs = [=, &solver](std::size_t s, std::size_t i) {
    if (s == of_cycle) return std::pair(std::int64_t{0}, static_cast<std::int64_t>(width(s - 1)));
    if (s == of_cycle + 1) return std::pair(std::int64_t{0}, std::int64_t{1});
    return solver.needs(operation(s), i);
  };
  const auto body = [=, &solver](std::size_t s, std::size_t i) {
    if (s < of_cycle) return solver.initialize_part(s, i);
    s == of_cycle ? solver.place_charges() : solver.run(operation(s), i);
  };
  return staged<decltype(width), decltype(needs), decltype(body)>{of_cycle * (cycles + 1) + 1, width, needs,
                                                                  body};
}

}  // namespace gallery
