// SPDX-License-Identifier: Apache-2.0
// A plate of which each rank has some rows. How its heat spreads is left to the program.
#pragma once

#include "gallery/heat.hpp"
#include "integrations/mpi/programs/program.hpp"

#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/grid.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

namespace programs {

class heat : public program {
 public:
  void add_arguments(CLI::App& to) override {
    to.add_option("--rows", rows_, "rows of the plate")->check(CLI::Range(1, 1 << 24))->capture_default_str();
    to.add_option("--width", width_, "cells of a row")->check(CLI::Range(1, 1 << 24))->capture_default_str();
    to.add_option("--steps", steps_, "number of time steps")
        ->check(CLI::Range(0, 1 << 24))
        ->capture_default_str();
    to.add_option("--together", together_, "steps between two exchanges of rows")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
  }

  void prepare() override {
    blocks_.emplace(rows_);
    for (auto& side : plate_) side.emplace(rows_, width_);
    const auto mine = blocks_->mine();
    for (auto i = mine.first; i < mine.last; ++i) {
      for (std::int64_t j = 0; j < width_; ++j) {
        plate_[0]->row(i)[j] =
            static_cast<float>(gallery::splitmix64(static_cast<std::uint64_t>(i * width_ + j)) % 256);
      }
    }
    before_ = sum_of(*plate_[0]);
  }

  // Heat is neither made nor lost, and no place gets hotter or colder than any was.
  outcome check() override {
    outcome made;
    const auto& last = *plate_[steps_ % 2];
    const auto mine = blocks_->mine();
    for (auto i = mine.first; i < mine.last; ++i) {
      made.sum += digest(static_cast<std::uint64_t>(i),
                         std::span<const float>(last.row(i), static_cast<std::size_t>(width_)));
    }
    const auto cells = last.values(mine);
    if (std::ranges::any_of(cells, [](float c) { return !(c >= -0.01F && c <= 255.01F); }))
      made.complaint = "a cell is hotter or colder than any was";
    const double after = sum_of(last);
    if (std::abs(after - before_) > 1e-4 * before_ + 1)
      made.complaint = fmt::format("the plate held {} of heat and now holds {}", before_, after);
    return made;
  }

 protected:
  // A step of a row, from one side of the plate to the other.
  void diffuse_row(std::int64_t step, std::int64_t i) {
    const float* const here = plate_[step % 2]->row(i);
    gallery::heat::diffuse(static_cast<std::size_t>(width_), i == 0 ? here : here - width_, here,
                           i + 1 == rows_ ? here : here + width_, plate_[(step + 1) % 2]->row(i));
  }

  std::int64_t rows_ = 1024;
  std::int64_t width_ = 1024;
  std::int64_t steps_ = 320;
  std::int64_t together_ = 8;
  std::optional<sennit::mpi::row_blocks> blocks_;
  std::optional<sennit::mpi::grid<float>> plate_[2];

 private:
  double sum_of(const sennit::mpi::grid<float>& side) const {
    double sum = 0;
    for (const float c : side.values(blocks_->mine())) sum += static_cast<double>(c);
    return sennit::mpi::allreduce(sum, MPI_SUM);
  }

  double before_ = 0;
};

}  // namespace programs
