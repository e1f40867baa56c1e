// SPDX-License-Identifier: Apache-2.0
// life: Conway's game of life on a torus, as a graph of tasks.
#include "gallery/life.hpp"

#include "gallery/graphs.hpp"
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/splitmix.hpp"
#include "gallery/staged_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

using cells = std::vector<std::uint8_t>;

// The rule as it is told, cell by cell.
cells reference(cells now, std::size_t n, std::int64_t steps) {
  cells next(now.size());
  for (std::int64_t i = 0; i < steps; ++i) {
    for (std::size_t y = 0; y < n; ++y) {
      for (std::size_t x = 0; x < n; ++x) {
        int around = 0;
        for (const std::size_t row : {(y + n - 1) % n, y, (y + 1) % n}) {
          for (const std::size_t column : {(x + n - 1) % n, x, (x + 1) % n}) around += now[row * n + column];
        }
        const bool lives = now[y * n + x] != 0;
        around -= lives ? 1 : 0;
        next[y * n + x] = around == 3 || (lives && around == 2);
      }
    }
    now.swap(next);
  }
  return now;
}

struct program {
  static constexpr description about{.name = "life", .summary = "Conway's game of life, a graph of tasks"};

  std::int64_t n = 1024;
  std::int64_t steps = 100;
  std::int64_t block = 16;
  std::int64_t seed = 1;
  std::string variant = "graph";
  color_choice colors;

  std::vector<parameter> parameters() {
    return {{"n", "cells along a side", &n, 1, 1 << 14},
            {"steps", "number of time steps", &steps, 1, 1e6},
            {"block", "rows of cells in a node of the graph", &block, 1, 1 << 14},
            {"seed", "of the cells that live at first", &seed, 0, 1e9},
            {.name = "variant",
             .meaning = "one graph of tasks for all steps, or a loop for each",
             .value = &variant,
             .words = {"graph", "loops"}},
            colors.which()};
  }
  void choose_demo() { steps = 1000; }
  void prepare() {}

  template <class P>
  cells run() const {
    const auto side = static_cast<std::size_t>(n);
    life board(side, static_cast<std::size_t>(block));
    const auto fill = [&](std::size_t y, std::uint8_t* row) { populate(y, row); };
    if (variant == "graph") {
      const auto count = static_cast<std::size_t>(steps);
      run_graph<P>(graph_of(stages_of(board, count, fill)), colors);
      board.took(count);
    } else {
      const loops<P> run;
      board.initialize(run, fill);
      for (std::int64_t i = 0; i < steps; ++i) board.step(run);
    }
    return {board.cells().begin(), board.cells().end()};
  }

  std::string complaint(const cells& result) const {
    const auto side = static_cast<std::size_t>(n);
    cells start(side * side);
    for (std::size_t y = 0; y < side; ++y) populate(y, start.data() + y * side);
    const cells expected = reference(std::move(start), side, steps);
    const auto [wrong, right] = std::ranges::mismatch(result, expected);
    if (wrong == result.end()) return {};
    const auto at = static_cast<std::size_t>(wrong - result.begin());
    return fmt::format("cell {}, {} {}, which it should not", at / side, at % side,
                       *wrong ? "lives" : "does not live");
  }

  std::string describe(const cells& result) const {
    return fmt::format("{} steps on {} x {} cells, of which {} live", steps, n, n,
                       std::ranges::count(result, std::uint8_t{1}));
  }

 private:
  // Three cells of eight live.
  void populate(std::size_t y, std::uint8_t* row) const {
    const auto side = static_cast<std::size_t>(n);
    const std::uint64_t first = splitmix64(static_cast<std::uint64_t>(seed));
    for (std::size_t x = 0; x < side; ++x) row[x] = splitmix64(first + y * side + x) % 8 < 3;
  }
};

}  // namespace

std::unique_ptr<kernel> make_life() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
