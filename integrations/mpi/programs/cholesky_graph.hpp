// SPDX-License-Identifier: Apache-2.0
// cholesky as a graph of tasks whose values are tiles. Who moves the values is left to the program.
#pragma once

#include "integrations/mpi/programs/cholesky.hpp"

#include <sennit/mpi/graph.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace programs {

class cholesky_graph : public cholesky {
  using key = std::array<std::uint32_t, 3>;  // the step, and the tile's row and column

  static std::vector<key> predecessors(key at) {
    const auto [k, row, column] = at;
    std::vector<key> before;
    if (k > 0) before.push_back({k - 1, row, column});
    if (column > k) before.push_back({k, row, k});
    if (row > k && row != column) before.push_back({k, column, k});
    return before;
  }

 protected:
  std::vector<key> sinks() const { return {{count() - 1, count() - 1, count() - 1}}; }
  auto nodes() {
    return sennit::mpi::nodes{
        .predecessors = predecessors,
        .compute = [this](key at, auto& node) -> tile {
          const auto [k, row, column] = at;
          const auto of = [&](std::uint32_t r) { return node.value(key{k, r, k})->data(); };
          step(k, row, column, column > k ? of(row) : nullptr, row > k ? of(column) : nullptr);
          return k == column ? this->at(row, column) : nullptr;  // complete, for nodes of column k
        },
        .color = [this](key at) { return rank_of(at[1], at[2]); },
        // All that is to the right of a column waits for it.
        .priority = [](key at) { return -static_cast<int>(at[2]); }};
  }
};

}  // namespace programs
