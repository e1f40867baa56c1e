// SPDX-License-Identifier: Apache-2.0
// Sweeps over a square of numbers, of which each rank has some rows: what fdtd-2d and jacobi-2d have in common.
#pragma once

#include "gallery/sweeps.hpp"
#include "integrations/mpi/programs/program.hpp"

#include <sennit/mpi/grid.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace programs {

class square : public program {
 public:
  void add_arguments(CLI::App& to) override {
    to.add_option("--n", n_, "side of the square")->check(CLI::Range(3, 1 << 15))->capture_default_str();
    to.add_option("--steps", steps_, "number of steps")->check(CLI::Range(0, 1 << 24))->capture_default_str();
    to.add_option("--together", together_, "steps between two exchanges of rows")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
  }

  void prepare() override {
    blocks_.emplace(n_);
    fill(blocks_->mine());
  }

 protected:
  using grid = sennit::mpi::grid<double>;
  using range = sennit::range;

  virtual void fill(range rows) = 0;

  // Against the gallery's kernel on this rank alone, which has the same order of operations: bit by bit.
  template <class Kernel>
  outcome against(Kernel one, const grid& result) const {
    one.initialize();
    const std::int64_t sweeps = steps_ * Kernel::phases;
    for (std::int64_t s = 0; s < sweeps; ++s) one.sweep(s, one.whole());
    const auto width = static_cast<std::size_t>(n_);
    outcome made;
    for (auto i = blocks_->mine().first; i < blocks_->mine().last; ++i) {
      const std::span<const double> row(result.row(i), width);
      made.sum += digest(static_cast<std::uint64_t>(i), row);
      if (made.complaint.empty() &&
          !std::ranges::equal(row, one.result(sweeps).subspan(static_cast<std::size_t>(i) * width, width)))
        made.complaint = fmt::format("row {} is not that of one rank", i);
    }
    return made;
  }

  std::int64_t n_ = 1024;
  std::int64_t steps_ = 64;
  std::int64_t together_ = 16;
  std::optional<sennit::mpi::row_blocks> blocks_;
};

}  // namespace programs
