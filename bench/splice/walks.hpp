// SPDX-License-Identifier: Apache-2.0
// Orders in which the parts of all sweeps can be taken by hand: those of a library that knows what depends on what.
#pragma once

#include "gallery/sweeps.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace splice {

using gallery::lead;
using gallery::part;
using gallery::range;

inline lead operator+(lead a, lead b) { return {a.rows + b.rows, a.columns + b.columns}; }
inline range shifted(range r, std::int64_t by) { return {r.first - by, r.last - by}; }
inline std::int64_t pieces(range r, std::int64_t size) { return (r.size() + size - 1) / size; }
inline range piece(range r, std::int64_t size, std::int64_t i) {
  return range{r.first + i * size, r.first + (i + 1) * size}.within(r);
}

// How far each of sweeps first <= s < last is behind the first.
template <class Kernel>
std::vector<lead> lags(std::int64_t first, std::int64_t last) {
  std::vector<lead> behind{lead{}};
  for (std::int64_t s = first + 1; s < last; ++s) behind.push_back(behind.back() + Kernel::ahead(s));
  return behind;
}

// The space of sweeps first <= s < last in parallelograms: each sweep over a tile is shifted to where its input is. Then all that a tile
// depends on is in itself or in tiles before it, column by column of tiles.
template <class Kernel>
class skewed_tiles {
 public:
  skewed_tiles(Kernel& kernel, const part& all, std::int64_t first, std::int64_t last, std::int64_t rows,
               std::int64_t columns)
      : kernel_(kernel),
        all_(all),
        first_(first),
        behind_(lags<Kernel>(first, last)),
        reach_{{all.rows.first, all.rows.last + behind_.back().rows},
               {all.columns.first, all.columns.last + behind_.back().columns}},
        rows_(rows),
        columns_(columns) {}

  std::int64_t count() const { return pieces(reach_.rows, rows_) * pieces(reach_.columns, columns_); }
  // Some of the sweeps over a tile.
  void run(std::int64_t tile, std::int64_t first, std::int64_t last) const {
    const std::int64_t down = pieces(reach_.rows, rows_);
    const range rows = piece(reach_.rows, rows_, tile % down);
    const range columns = piece(reach_.columns, columns_, tile / down);
    for (std::int64_t s = first; s < last; ++s) {
      const lead behind = behind_[static_cast<std::size_t>(s - first_)];
      const part now{shifted(rows, behind.rows).within(all_.rows),
                     shifted(columns, behind.columns).within(all_.columns)};
      if (!now.empty()) kernel_.sweep(s, now);
    }
  }

 private:
  Kernel& kernel_;
  part all_;
  std::int64_t first_;
  std::vector<lead> behind_;
  part reach_;
  std::int64_t rows_;
  std::int64_t columns_;
};

// Sweeps that wait for a chain along each row go in one loop, as many as this.
inline constexpr std::int64_t chains_together = 4;

template <class Kernel>
concept in_chains = requires(Kernel& kernel) { kernel.template sweep_together<chains_together>(1); };

// Some sweeps, from s on, of which each is a row behind the one before; the first one goes over these rows. Where only some of them are
// within the kernel's rows, they go one by one.
template <in_chains Kernel>
void sweep_chains(Kernel& kernel, std::int64_t s, std::int64_t sweeps, range own) {
  const part whole = kernel.whole();
  const range all = whole.rows;
  for (std::int64_t row = own.first; row < own.last; ++row) {
    if (sweeps == chains_together && row - chains_together + 1 >= all.first && row < all.last) {
      kernel.template sweep_together<chains_together>(row);
    } else {
      for (std::int64_t k = 0; k < sweeps; ++k)
        if (row - k >= all.first && row - k < all.last)
          kernel.sweep(s + k, {{row - k, row - k + 1}, whole.columns});
    }
  }
}

// Bands of `together` sweeps, of which thread p takes those with p over, each a tile behind the one before.
class pipeline {
 public:
  pipeline(std::int64_t sweeps, std::int64_t together, unsigned threads)
      : sweeps_(sweeps), together_(together), threads_(threads), done_(static_cast<std::size_t>(bands())) {}

  // step(tile, first, last): sweeps first <= s < last of a tile.
  template <class Step>
  void run(std::int64_t tiles, const Step& step) {
    const auto work = [&](unsigned p) {
      for (std::int64_t band = p; band < bands(); band += threads_) {
        for (std::int64_t tile = 0; tile < tiles; ++tile) {
          if (band > 0) wait(band - 1, tile);
          step(tile, band * together_, std::min(sweeps_, (band + 1) * together_));
          // Publishes what the tile wrote to wait().
          progress(band).store(tile + 1, std::memory_order_release);
        }
      }
    };
    std::vector<std::jthread> others;
    for (unsigned p = 1; p < threads_; ++p) others.emplace_back(work, p);
    work(0);
  }

 private:
  struct alignas(64) counter {
    std::atomic<std::int64_t> tiles = 0;
  };

  std::int64_t bands() const { return (sweeps_ + together_ - 1) / together_; }
  std::atomic<std::int64_t>& progress(std::int64_t band) {
    return done_[static_cast<std::size_t>(band)].tiles;
  }
  void wait(std::int64_t band, std::int64_t tile) {
    while (progress(band).load(std::memory_order_acquire) <= tile) std::this_thread::yield();
  }

  std::int64_t sweeps_;
  std::int64_t together_;
  unsigned threads_;
  std::vector<counter> done_;
};

// Whole blocks of rows: a sweep is a block behind the one before, where that has to be ahead at all. What splicing comes to if it
// costs nothing.
template <class Kernel>
void whole_blocks(Kernel& kernel, std::int64_t first, std::int64_t last, std::int64_t block) {
  const part whole = kernel.whole();
  std::vector<std::int64_t> behind{0};
  for (std::int64_t s = first + 1; s < last; ++s)
    behind.push_back(behind.back() + (Kernel::ahead(s).rows > 0 ? 1 : 0));
  const std::int64_t blocks = pieces(whole.rows, block);
  for (std::int64_t b = 0; b < blocks + behind.back(); ++b) {
    for (std::int64_t s = first; s < last; ++s) {
      const std::int64_t own = b - behind[static_cast<std::size_t>(s - first)];
      if (own >= 0 && own < blocks) kernel.sweep(s, {piece(whole.rows, block, own), whole.columns});
    }
  }
}

}  // namespace splice
