// SPDX-License-Identifier: Apache-2.0
// Heat in insulated plates of one size: two-dimensional diffusion by the explicit five-point scheme. A step is one loop over
// blocks of rows; the next one starts when it is done.
#pragma once

#include "gallery/phases.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/effects.hpp>
#include <sennit/numa_array.hpp>
#include <sennit/splice.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace gallery {

class heat {
 public:
  heat(std::size_t plates, std::size_t width, std::size_t height, std::size_t block = 1)
      : width_(width),
        height_(height),
        rows_{height, block},
        now_(plates * width * height),
        next_(now_.size()) {}

  // fill(plate, y, row) writes a row, from first to last.
  template <class Loops, class Fill>
  void initialize(Loops&& loops, const Fill& fill) {
    loops.each(rows_.count(), 1, [&](std::size_t block) { initialize_block(block, fill); });
  }

  template <class Loops>
  void step(Loops&& loops) {
    loops.each(rows_.count(), 1, [this](std::size_t block) { step_block(1, block); });
    took(1);
  }

  // The same block by block, for graphs: step_block() of a block once that of it and of those beside it has been in the step
  // before, of which the first is 1; took() once all have been.
  template <class Fill>
  void initialize_block(std::size_t block, const Fill& fill) {
    over_rows(block, now_, next_, [&](std::size_t plate, std::size_t y, float* now, float* next) {
      fill(plate, y, now);
      std::fill_n(next, width_, 0.0F);
    });
  }
  void step_block(std::size_t step, std::size_t block) {
    over_rows(block, read_in(step), written_in(step),
              [this](std::size_t, std::size_t y, const float* row, float* next) {
                // Beyond the edge the plate is as warm as at the edge, so nothing flows across it.
                diffuse(width_, y == 0 ? row : row - width_, row, y + 1 == height_ ? row : row + width_,
                        next);
              });
  }
  // A step as a declared tree over the blocks.
  auto tree_of(std::size_t step) {
    return sennit::divided{
        sennit::range{0, static_cast<std::int64_t>(blocks())}, 1,
        [this, step](sennit::range of) {
          const auto first = static_cast<std::int64_t>(rows_.first(static_cast<std::size_t>(of.first)));
          const auto last = static_cast<std::int64_t>(rows_.last(static_cast<std::size_t>(of.last - 1)));
          const sennit::range rows{first, last};
          const sennit::range all{0, static_cast<std::int64_t>(height_)};
          return sennit::effects(sennit::reads(of_all_plates(read_in(step), rows.grown(1).within(all))),
                                 sennit::writes(of_all_plates(written_in(step), rows)));
        },
        [this, step](sennit::range of) { step_block(step, static_cast<std::size_t>(of.first)); }};
  }
  void took(std::size_t steps) {
    if (steps % 2 == 1) std::swap(now_, next_);
  }

  // To fresh pages.
  template <class Loops>
  void redistribute(Loops&& loops) {
    now_.renew([&](const auto& old_now, auto& now) {
      next_.renew([&](const auto& old_next, auto& next) {
        loops.each(rows_.count(), 1, [&](std::size_t block) {
          over_rows(block, now, next, [&](std::size_t, std::size_t, float* here, float* there) {
            std::copy_n(old_now.data() + (here - now.data()), width_, here);
            std::copy_n(old_next.data() + (there - next.data()), width_, there);
          });
        });
      });
    });
  }

  // A step of one row.
  static void diffuse(std::size_t width, const float* above, const float* here, const float* below,
                      float* out) {
    const auto cell = [=](std::size_t x, std::size_t left, std::size_t right) {
      out[x] = here[x] + flow * (above[x] + below[x] + here[left] + here[right] - 4 * here[x]);
    };
    const std::size_t last = width - 1;
    cell(0, 0, std::min<std::size_t>(1, last));
    for (std::size_t x = 1; x < last; ++x) cell(x, x - 1, x + 1);
    if (last > 0) cell(last, last - 1, last);
  }

  // Of all plates, one after the other.
  std::span<const float> cells() const { return {now_.data(), now_.size()}; }
  // Iterations of its loop.
  std::size_t blocks() const { return rows_.count(); }
  static constexpr unsigned loops_a_step = 1;

 private:
  using array = sennit::numa_array<float>;
  // The part of the difference to a neighbor that flows in a step; above a quarter the scheme is not stable.
  static constexpr float flow = 0.2F;

  array& read_in(std::size_t step) { return step % 2 == 1 ? now_ : next_; }
  array& written_in(std::size_t step) { return step % 2 == 1 ? next_ : now_; }
  sennit::memory_box<2> of_all_plates(const array& cells, sennit::range rows) const {
    const auto width = static_cast<std::int64_t>(width_);
    const auto plate = width * static_cast<std::int64_t>(height_);
    return {cells.data(),
            {plate},
            {sennit::range{0, static_cast<std::int64_t>(cells.size()) / plate},
             sennit::range{rows.first * width, rows.last * width}}};
  }

  template <class Row>
  void over_rows(std::size_t block, array& now, array& next, const Row& row) const {
    for (std::size_t y = rows_.first(block); y < rows_.last(block); ++y) {
      for (std::size_t plate = 0; plate * height_ * width_ < now.size(); ++plate) {
        const std::size_t at = (plate * height_ + y) * width_;
        row(plate, y, now.data() + at, next.data() + at);
      }
    }
  }

  std::size_t width_;
  std::size_t height_;
  partition rows_;
  array now_;
  array next_;
};

}  // namespace gallery
