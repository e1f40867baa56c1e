// SPDX-License-Identifier: Apache-2.0
// floyd-warshall: the lengths of the shortest paths between all vertices of a directed graph. Two nested
// loops over all pairs, once for each vertex that paths may lead through (Rainey et al., 2021, §4.1).
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/splitmix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

using distance = std::int32_t;

// Two of them can be added.
constexpr distance nowhere = std::numeric_limits<distance>::max() / 2;

struct edge {
  std::size_t from;
  std::size_t to;
  distance length;
};

struct program {
  static constexpr description about{.name = "floyd-warshall",
                                     .summary = "shortest paths between all vertices"};

  std::int64_t n = 800;
  std::int64_t degree = 8;
  std::int64_t longest = 1000;
  std::int64_t seed = 1;
  std::vector<edge> edges;
  std::vector<distance> start;

  std::vector<parameter> parameters() {
    return {{"n", "number of vertices", &n, 1, 1 << 13},
            {"degree",
             "edges from each vertex; the first leads to the next one, the last vertex's to the first",
             &degree, 0, 1000},
            {"longest", "length of the longest edges", &longest, 1, 1e5},
            {"seed", "which graph", &seed, 0, 1e9}};
  }
  void choose_demo() { n = 1000; }

  void prepare() {
    const auto size = static_cast<std::size_t>(n);
    edges.clear();
    std::uint64_t state = splitmix64(static_cast<std::uint64_t>(seed));
    const auto random = [&](std::uint64_t below) { return (state = splitmix64(state)) % below; };
    for (std::size_t from = 0; from < size; ++from) {
      for (std::int64_t i = 0; i < degree; ++i) {
        const std::size_t to = i == 0 ? (from + 1) % size : random(size);
        edges.push_back({from, to, static_cast<distance>(1 + random(static_cast<std::uint64_t>(longest)))});
      }
    }
    start.assign(size * size, nowhere);
    for (std::size_t i = 0; i < size; ++i) start[i * size + i] = 0;
    for (const edge& e : edges) {
      distance& known = start[e.from * size + e.to];
      known = std::min(known, e.length);
    }
  }

  // A path to the vertex k does not get shorter by leading through k, nor one from there. So row k stays as
  // it is, and rows are independent of one another.
  template <class P>
  std::vector<distance> run() const {
    std::vector<distance> lengths = start;
    const auto size = static_cast<std::size_t>(n);
    for (std::size_t k = 0; k < size; ++k) {
      const distance* const onward = lengths.data() + k * size;
      P::parallel_for(0, size, [=, all = lengths.data()](std::size_t i) {
        if (i == k) return;
        distance* const row = all + i * size;
        P::parallel_for(0, size,
                        [=, first = row[k]](std::size_t j) { row[j] = std::min(row[j], first + onward[j]); });
      });
    }
    return lengths;
  }

  // Where edges have positive lengths, only the right answer has this property: a path's length is the least,
  // over the edges that can be its last, of that edge's length and the length of the path to where the edge
  // begins.
  std::string complaint(const std::vector<distance>& lengths) const {
    const auto size = static_cast<std::size_t>(n);
    std::vector<distance> right(size);
    for (std::size_t i = 0; i < size; ++i) {
      const distance* const row = lengths.data() + i * size;
      std::fill(right.begin(), right.end(), nowhere);
      for (const edge& e : edges) right[e.to] = std::min(right[e.to], row[e.from] + e.length);
      right[i] = 0;
      for (std::size_t j = 0; j < size; ++j) {
        if (row[j] != right[j]) {
          return fmt::format("the path from {} to {} is {} long, not {}", i, j, row[j], right[j]);
        }
      }
    }
    return {};
  }

  std::string describe(const std::vector<distance>& lengths) const {
    std::int64_t sum = 0;
    std::int64_t paths = 0;
    for (const distance length : lengths) {
      if (length >= nowhere) continue;
      sum += length;
      ++paths;
    }
    return fmt::format("{} paths, {} long on average", paths, sum / paths);
  }
};

}  // namespace

std::unique_ptr<kernel> make_floyd_warshall() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
