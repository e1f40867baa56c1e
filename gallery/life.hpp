// SPDX-License-Identifier: Apache-2.0
// Conway's game of life on a torus. A step is one pass over blocks of rows.
#pragma once

#include "gallery/phases.hpp"

#include <sennit/numa_array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace gallery {

class life {
 public:
  explicit life(std::size_t n, std::size_t block = 1) : n_(n), rows_{n, block}, now_(n * n), next_(n * n) {}

  // fill(y, row) writes a row: a cell is 1 if it lives, else 0.
  template <class Loops, class Fill>
  void initialize(Loops&& loops, const Fill& fill) {
    loops.each(rows_.count(), 1, [&](std::size_t block) { initialize_block(block, fill); });
  }
  template <class Loops>
  void step(Loops&& loops) {
    loops.each(rows_.count(), 1, [this](std::size_t block) { step_block(1, block); });
    took(1);
  }

  // The same block by block, as in heat.hpp; the first and the last block are beside each other.
  template <class Fill>
  void initialize_block(std::size_t block, const Fill& fill) {
    for (std::size_t y = rows_.first(block); y < rows_.last(block); ++y) {
      fill(y, now_.data() + y * n_);
      std::fill_n(next_.data() + y * n_, n_, std::uint8_t{0});
    }
  }
  void step_block(std::size_t step, std::size_t block) {
    const std::uint8_t* const from = (step % 2 == 1 ? now_ : next_).data();
    std::uint8_t* const to = (step % 2 == 1 ? next_ : now_).data();
    for (std::size_t y = rows_.first(block); y < rows_.last(block); ++y) {
      live(from + (y + n_ - 1) % n_ * n_, from + y * n_, from + (y + 1) % n_ * n_, to + y * n_);
    }
  }
  void took(std::size_t steps) {
    if (steps % 2 == 1) std::swap(now_, next_);
  }

  std::span<const std::uint8_t> cells() const { return {now_.data(), now_.size()}; }
  std::size_t blocks() const { return rows_.count(); }
  static constexpr unsigned loops_a_step = 1;

 private:
  void live(const std::uint8_t* above, const std::uint8_t* here, const std::uint8_t* below,
            std::uint8_t* out) const {
    const auto cell = [=](std::size_t left, std::size_t x, std::size_t right) {
      const auto around = static_cast<unsigned>(above[left] + above[x] + above[right] + here[left] +
                                                here[right] + below[left] + below[x] + below[right]);
      // With two neighbors a cell stays as it is, with three it lives.
      out[x] = static_cast<std::uint8_t>((around | here[x]) == 3);
    };
    const std::size_t last = n_ - 1;
    cell(last, 0, std::min<std::size_t>(1, last));
    for (std::size_t x = 1; x < last; ++x) cell(x - 1, x, x + 1);
    if (last > 0) cell(last - 1, last, 0);
  }

  std::size_t n_;
  partition rows_;
  sennit::numa_array<std::uint8_t> now_;
  sennit::numa_array<std::uint8_t> next_;
};

}  // namespace gallery
