// SPDX-License-Identifier: Apache-2.0
// The orders in which the kernels run their nests of two loops, each a variant that one word chooses: those
// of Govedič, "Improving the Performance of Parallel Loops in OpenCilk", 2023, Table 5.2.
#pragma once

#include "gallery/kernel.hpp"

#include <sennit/nest.hpp>
#include <sennit/space.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gallery {

// The indices i < rows, j < columns.
struct rectangle {
  std::size_t rows;
  std::size_t columns;

  std::size_t first_of(std::size_t) const { return 0; }
};

// The indices i < j < n: what is above the diagonal of a square.
struct upper_triangle {
  std::size_t rows;
  std::size_t columns;

  explicit upper_triangle(std::size_t n) : rows(n), columns(n) {}
  std::size_t first_of(std::size_t row) const { return row + 1; }
};

template <class P, class Body, class Order>
void for_nest(const rectangle& space, const Body& body, const Order& order) {
  P::parallel_for_nest({space.rows, space.columns}, body, order);
}
template <class P, class Body, class Order>
void for_nest(const upper_triangle& space, const Body& body, const Order& order) {
  P::parallel_for_nest(sennit::upper_triangle(space.rows), body, order);
}

// A loop over [first, last) by halves: down to parts of `grain` indices, of which only the last may be
// smaller. body(from, to) gets the parts.
template <class P, class Body>
void by_halves(std::size_t first, std::size_t last, std::size_t grain, const Body& body) {
  if (last - first <= grain) return body(first, last);
  const std::size_t parts = (last - first - 1) / grain + 1;
  const std::size_t middle = first + (parts + 1) / 2 * grain;
  P::join([=, &body] { by_halves<P>(first, middle, grain, body); },
          [=, &body] { by_halves<P>(middle, last, grain, body); });
}

// Halves the rows down to parts of `height` of them, then the columns of each part: <name>-dac-loop with a
// height of one, else <name>-dac-loop-tiled.
template <class P, class Space, class Body>
void nest_by_halves(const Space& space, std::size_t height, std::size_t width, const Body& body) {
  by_halves<P>(0, space.rows, height, [&](std::size_t row, std::size_t row_end) {
    const std::size_t first = space.first_of(row) / width * width;
    if (first >= space.columns) return;
    by_halves<P>(first, space.columns, width, [&, row, row_end](std::size_t column, std::size_t column_end) {
      for (std::size_t i = row; i < row_end; ++i) {
        for (std::size_t j = std::max(column, space.first_of(i)); j < column_end; ++j) body(i, j);
      }
    });
  });
}

// Which order, and how large its tiles are.
struct order_choice {
  std::string variant = "nested";
  std::int64_t tile = 32;

  parameter which(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"nested", "row", "tiled", "morton", "dac-loop", "dac-loop-tiled"};
    words.insert(words.end(), more.begin(), more.end());
    return {.name = "variant",
            .meaning = "order of the iterations: of nested loops, of one nest, of loops by halves",
            .value = &variant,
            .words = std::move(words)};
  }
  parameter size() {
    return {"tile", "side of a tile, or of what is not halved any further (G in the thesis)", &tile, 1,
            1 << 14};
  }
  std::size_t side() const { return static_cast<std::size_t>(tile); }
};

// Calls body(i, j), with two std::size_t, for the cells of a space. The body should be a small closure that
// captures by copy.
template <class P, class Space, class Body>
void for_cells(const order_choice& order, const Space& space, const Body& body) {
  const auto cell = [=](std::ptrdiff_t i, std::ptrdiff_t j) {
    body(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  };
  if (order.variant == "row") return for_nest<P>(space, cell, sennit::row);
  if (order.variant == "tiled") return for_nest<P>(space, cell, sennit::tiled(order.tile));
  if (order.variant == "morton") return for_nest<P>(space, cell, sennit::morton(order.tile));
  if (order.variant == "dac-loop") return nest_by_halves<P>(space, 1, order.side(), body);
  if (order.variant == "dac-loop-tiled") return nest_by_halves<P>(space, order.side(), order.side(), body);
  P::parallel_for(0, space.rows, [=](std::size_t i) {
    P::parallel_for(space.first_of(i), space.columns, [=](std::size_t j) { body(i, j); });
  });
}

}  // namespace gallery
