// SPDX-License-Identifier: Apache-2.0
// The lengths of all shortest paths of a graph: step k, a loop over blocks of rows, lets paths lead through vertex k.
#pragma once

#include "gallery/phases.hpp"

#include <sennit/numa_array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gallery {

class floyd_warshall {
 public:
  explicit floyd_warshall(std::size_t n, std::size_t block = 1)
      : n_(n), rows_{n, block}, lengths_(n * n), onward_(n) {}

  // fill(i, row) writes the lengths of the edges from vertex i.
  template <class Loops, class Fill>
  void initialize(Loops&& loops, const Fill& fill) {
    over_rows(loops, lengths_, fill);
    k_ = 0;
  }

  template <class Loops>
  void step(Loops&& loops) {
    std::copy_n(lengths_.data() + k_ * n_, n_, onward_.data());
    over_rows(loops, lengths_, [this](std::size_t, std::int32_t* row) {
      const std::int32_t first = row[k_];
      for (std::size_t j = 0; j < n_; ++j) row[j] = std::min(row[j], first + onward_[j]);
    });
    k_ = (k_ + 1) % n_;
  }

  // To fresh pages.
  template <class Loops>
  void redistribute(Loops&& loops) {
    lengths_.renew([&](const auto& from, auto& to) {
      over_rows(loops, to,
                [&](std::size_t i, std::int32_t* row) { std::copy_n(from.data() + i * n_, n_, row); });
    });
  }

  std::span<const std::int32_t> lengths() const { return {lengths_.data(), lengths_.size()}; }
  // Iterations of its loop.
  std::size_t blocks() const { return rows_.count(); }
  static constexpr unsigned loops_a_step = 1;

 private:
  template <class Loops, class Row>
  void over_rows(Loops& loops, sennit::numa_array<std::int32_t>& written, const Row& row) const {
    loops.each(rows_.count(), 1, [&](std::size_t block) {
      for (std::size_t i = rows_.first(block); i < rows_.last(block); ++i) row(i, written.data() + i * n_);
    });
  }

  std::size_t n_;
  partition rows_;
  sennit::numa_array<std::int32_t> lengths_;
  std::vector<std::int32_t> onward_;  // row k, which the step leaves as it is
  std::size_t k_ = 0;
};

}  // namespace gallery
