// SPDX-License-Identifier: Apache-2.0
// Last-level caches, simulated: how many of the lines that a stencil over blocks touches are missing where
// they are touched, when it is known which node ran which block, and in which order. Counted after the run,
// which it does not disturb.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gallery {

struct cache_shape {
  std::size_t bytes = 0;
  std::size_t ways = 16;
  std::size_t line = 64;

  std::size_t sets() const { return std::max<std::size_t>(bytes / (ways * line), 1); }
};

// Set-associative, least recently used out first. A line is its number in memory; a copy is good if it has
// the version that the line has now. One that is not keeps its way until that is the oldest, where hardware
// would use it first.
class simulated_cache {
 public:
  explicit simulated_cache(const cache_shape& shape)
      : ways_(shape.ways), sets_(shape.sets()), copies_(sets_ * ways_) {}

  // True if a good copy was there. Then, or from now on, it is the newest, and has the version `after`.
  bool touch(std::uint32_t line, std::uint32_t version, std::uint32_t after) {
    const auto newest = copies_.begin() + static_cast<std::ptrdiff_t>(line % sets_ * ways_);
    const auto last = newest + static_cast<std::ptrdiff_t>(ways_ - 1);
    auto at = newest;
    while (at != last && at->line != line) ++at;
    const bool hit = at->line == line && at->version == version;
    std::move_backward(newest, at, at + 1);
    *newest = {line, after};
    return hit;
  }

 private:
  static constexpr std::uint32_t no_line = ~std::uint32_t{0};
  struct copy {
    std::uint32_t line = no_line;
    std::uint32_t version = 0;
  };

  std::size_t ways_;
  std::size_t sets_;
  std::vector<copy> copies_;
};

// Of a step, in the order in which they were run.
struct block_run {
  std::uint32_t block;
  std::uint32_t node;
};
using step_run = std::vector<block_run>;

struct stencil_shape {
  std::size_t row_bytes;
  std::size_t rows;  // of a block
  std::size_t blocks;
};

struct miss_count {
  std::uint64_t touches = 0;
  std::uint64_t misses = 0;
  double share() const {
    return touches == 0 ? 0 : static_cast<double>(misses) / static_cast<double>(touches);
  }
};

// Steps that read one of two arrays and write the other, in turns. A block reads its rows and the one beside
// it on each side, and writes its rows; each of these lines counts once, as the caches above would have the
// rest. What another node has written is missing. The first step fills the caches and is not counted.
inline miss_count misses_of_stencil(const std::vector<step_run>& steps, const stencil_shape& shape,
                                    const cache_shape& cache, unsigned nodes) {
  const std::size_t lines_a_row = (shape.row_bytes + cache.line - 1) / cache.line;
  const std::size_t rows = shape.rows * shape.blocks;
  std::vector<simulated_cache> caches(nodes, simulated_cache(cache));
  std::vector<std::uint32_t> written(2 * rows * lines_a_row);  // in which step
  miss_count count;
  for (std::uint32_t step = 0; step < steps.size(); ++step) {
    const std::size_t read = step % 2 * rows;
    const std::size_t write = rows - read;
    std::uint64_t touches = 0;
    std::uint64_t misses = 0;
    for (const auto [block, node] : steps[step]) {
      const auto touch = [&](std::size_t from, std::size_t to, bool writes) {
        for (std::size_t line = from * lines_a_row; line < to * lines_a_row; ++line) {
          const std::uint32_t before = written[line];
          if (writes) written[line] = step + 1;
          misses += !caches[node].touch(static_cast<std::uint32_t>(line), before, written[line]);
        }
        touches += (to - from) * lines_a_row;
      };
      const std::size_t first = block * shape.rows;
      const std::size_t last = first + shape.rows;
      touch(read + first - (first > 0), read + std::min(last + 1, rows), false);
      touch(write + first, write + last, true);
    }
    if (step == 0) continue;
    count.touches += touches;
    count.misses += misses;
  }
  return count;
}

}  // namespace gallery
