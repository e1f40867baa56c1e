// SPDX-License-Identifier: Apache-2.0
// How many calls are interleaved, and how large their steps are, unless the program says so.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace sennit::policy {

struct cache_sizes {
  std::uint64_t first;   // of one core: the first level, for data
  std::uint64_t own;     // of one core: the second level
  std::uint64_t shared;  // of all cores: the last level
};

// The number of interleaved calls, unless the program gives one. A larger number gains almost nothing.
inline constexpr std::uint32_t calls_together = 32;

// Calls in more calls than these run unspliced. The walk takes a few kilobytes of its strand's stack for each level.
inline constexpr std::uint32_t deepest_call = 1000;

// So many calls may be delayed before a splice saves memory: a call that is not free as a whole then waits as a whole, and
// nothing in it is interleaved until it is free (section 7).
constexpr bool is_crowded(std::int64_t delayed, std::int64_t most_delayed) noexcept {
  return delayed >= most_delayed;
}

// The limit for so many workers in the simulator; the runtime has that of sennit::splicing. Where the part of one worker ends, each call leaves some steps more
// than the call before: with 16 calls of blocks that have four neighbors, some 300 for each of 80 workers.
constexpr std::int64_t most_delayed(unsigned workers) noexcept {
  constexpr std::int64_t for_few = 4096;
  constexpr std::int64_t for_each = 512;
  return std::max(for_few, for_each * workers);
}

// Whether the second half of a row of interleaved calls is left to thieves: it has so many steps in each call, as all of a
// call of the splice has `all`. At either end of what is stolen, each call leaves one step more than the call before. So a
// thief can do very little of a row that is not wider than its depth, and a few pieces for each worker are enough, as steps
// that are left take memory.
constexpr bool row_pays_a_thief(std::uint64_t rest, std::uint64_t interleaved, std::uint64_t all,
                                std::uint64_t workers) noexcept {
  return rest >= 4 * interleaved && rest >= all / (8 * workers);
}

// Whether a step that touches this number of bytes is small enough. One step of each interleaved call must
// fit the shared cache, beside the steps of the other workers, or fit the core's own cache. One step must
// fit half of the core's own cache.
constexpr bool step_fits(std::uint64_t bytes, std::uint64_t together, std::uint64_t workers,
                         cache_sizes caches) noexcept {
  const std::uint64_t part = caches.shared / (4 * (workers + 1));
  const std::uint64_t window = part > caches.own ? part : caches.own;
  return bytes <= caches.own / 2 && bytes * together <= window;
}

// How many bytes a step may touch where all interleaved calls use the same data, from the best on: most of the
// first level; less than the core's own cache, as effects often leave out what nobody writes, such as
// coefficients; half of the core's own cache. A step of less than 32 KiB would take little more time than the
// change to the next one.
constexpr std::array<std::uint64_t, 3> shifted_step_bytes(cache_sizes caches) noexcept {
  const std::uint64_t first = caches.first / 4 * 3;
  const std::uint64_t second = caches.own / 16;
  return {first < 32 << 10 ? second : first, second, caches.own / 2};
}

// Whether trees may be shifted so far that the data between the first and the last one takes this number of
// bytes. All of it is in use at a time, as one block of each tree is without shifts. Beyond the core's own
// cache, that is soon no gain.
constexpr bool shift_fits(std::uint64_t bytes, cache_sizes caches) noexcept {
  return bytes <= 2 * caches.own;
}

// Whether all data of some interleaved calls stays in the core's own cache, whatever the order of their steps.
constexpr bool data_fits(std::uint64_t bytes, cache_sizes caches) noexcept { return bytes <= caches.own / 2; }

// Trees over rectangles whose tiles are shifted in two dimensions.
struct rectangle_sweeps {
  std::int64_t rows;
  std::int64_t columns;
  double bytes;        // of the data for each cell, not 0
  double down;         // a tree is so many rows behind the one before it
  double across;       // and so many columns; -1: no tile may have a part of the columns
  std::uint32_t most;  // trees that are interleaved
  bool all;            // exactly so many
};
struct tile_choice {
  std::uint32_t together;
  std::int64_t cells;
};

// The bytes that all interleaved trees may use at a time while they go down the rows of a tile's columns. A worker's
// part of the last level is almost as good as the second level, up to a few times the size of the second level.
constexpr double tile_window(std::uint64_t workers, cache_sizes caches) noexcept {
  const std::uint64_t part = std::min(caches.shared / (4 * (workers + 1)), 4 * caches.own);
  return static_cast<double>(std::max(part, caches.own));
}

// The size of as many equal shares of n as there are shares of at most this size.
template <class N>
constexpr N equal_share(N n, N size) noexcept {
  const N shares = std::max<N>((n + size - 1) / size, 1);
  return std::max<N>((n + shares - 1) / shares, 1);
}

// The shape of a tile follows from the number of its cells: rows of all columns, or a part of one row. So the tiles of a tree, row by
// row, have its cells in the order of its rows.
struct tile_shape {
  std::int64_t rows;
  std::int64_t columns;
};
constexpr tile_shape shape_of_tile(std::int64_t cells, std::int64_t columns) noexcept {
  const std::int64_t each = std::max<std::int64_t>(columns, 1);
  if (cells >= each) return {cells / each, each};
  return {1, cells};
}

// How many trees to interleave, and the tile. With g trees, data comes from memory once in g sweeps, and the columns
// by which trees are shifted come once more for each tile's width. Wide tiles and many trees need more of the cache;
// the sum of the costs is least.
constexpr tile_choice choose_tiles(const rectangle_sweeps& s, std::uint64_t workers,
                                   cache_sizes caches) noexcept {
  // Bytes that could be fetched in the time from one step to the next, or where a row of a tile begins.
  constexpr double between_steps = 4096;
  const double window = tile_window(workers, caches);
  const auto columns = static_cast<double>(std::max<std::int64_t>(s.columns, 1));
  std::uint32_t best = s.most;
  double best_width = columns;
  double least = -1;
  for (std::uint32_t g = s.all ? s.most : 1; g <= s.most; ++g) {
    const double across = (g - 1) * std::max(s.across, 0.0);
    const double room = window / (s.bytes * (1 + (g - 1) * s.down)) - across;
    const double widest = s.across < 0 ? columns : std::max(room, 1 + across / 2);
    const double width = std::clamp(widest, 1.0, columns);
    if (least >= 0 && room < width) break;  // more trees would need still more
    const double cost = (width < columns ? 1 + across / width : 1) / g + between_steps / (width * s.bytes);
    if (least >= 0 && cost >= least) continue;
    least = cost;
    best = g;
    best_width = width;
  }
  // Groups and tiles of equal sizes, instead of a small last one.
  if (!s.all) best = equal_share(s.most, best);
  if (best_width < columns) {
    const auto all = s.columns + static_cast<std::int64_t>((best - 1) * s.across);
    return {best, equal_share(all, static_cast<std::int64_t>(best_width))};
  }
  const double row = columns * s.bytes;
  const double rows =
      std::min(static_cast<double>(caches.own) / 16, window - (best - 1) * s.down * row) / row;
  const auto whole = std::min<std::int64_t>(static_cast<std::int64_t>(rows), s.rows);
  return {best, std::max({whole * s.columns, s.columns, std::int64_t{1}})};
}

// How many trees to interleave that are too far apart for shifts, of which each needs so many bytes that the one before
// it does not. All of them lie in the shared cache, which others use, too.
constexpr std::uint32_t trees_that_fit(std::uint64_t bytes_apart, std::uint32_t most,
                                       cache_sizes caches) noexcept {
  const std::uint64_t trees = caches.shared / 8 * 3 / std::max<std::uint64_t>(bytes_apart, 1);
  return equal_share(most,
                     static_cast<std::uint32_t>(std::clamp<std::uint64_t>(trees, 2, std::max(most, 2u))));
}

// Whether steps are too short compared with the cost of the change from one step to the next. Steps of twice
// the size are then better.
constexpr bool step_is_short(double ns, double overhead_ns) noexcept { return ns < 30 * overhead_ns; }

}  // namespace sennit::policy
