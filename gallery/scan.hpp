// SPDX-License-Identifier: Apache-2.0
// All prefix sums of an array, in two passes over its blocks (Blelloch, "Prefix sums and their applications", 1990, 1.2.1): the
// first adds up each block, the second writes its prefixes.
#pragma once

#include "gallery/phases.hpp"

#include <sennit/numa_array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace gallery {

class scan {
 public:
  explicit scan(std::size_t n, std::size_t block = 1 << 13)
      : parts_{n, block}, from_(n), to_(n), before_(parts_.count() + 1) {}

  // A whole number, so that sums are exact.
  static double element(std::size_t i) { return static_cast<double>((i * 2654435761U >> 7) % 8); }

  template <class Loops>
  void initialize(Loops&& loops) {
    over_blocks(loops, [this](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) from_[i] = element(i);
    });
    over_blocks(loops, [this](std::size_t, std::size_t first, std::size_t last) {
      std::fill(to_.data() + first, to_.data() + last, 0.0);
    });
  }

  template <class Loops>
  void step(Loops&& loops) {
    over_blocks(loops, [this](std::size_t block, std::size_t first, std::size_t last) {
      before_[block + 1] = std::accumulate(from_.data() + first, from_.data() + last, 0.0);
    });
    std::partial_sum(before_.begin(), before_.end(), before_.begin());
    over_blocks(loops, [this](std::size_t block, std::size_t first, std::size_t last) {
      double sum = before_[block];
      for (std::size_t i = first; i < last; ++i) to_[i] = sum += from_[i];
    });
  }

  // To fresh pages.
  template <class Loops>
  void redistribute(Loops&& loops) {
    for (auto* array : {&from_, &to_}) {
      array->renew([&](const auto& from, auto& to) {
        over_blocks(loops, [&](std::size_t, std::size_t first, std::size_t last) {
          std::copy(from.data() + first, from.data() + last, to.data() + first);
        });
      });
    }
  }

  std::span<const double> input() const { return {from_.data(), from_.size()}; }
  std::span<const double> prefixes() const { return {to_.data(), to_.size()}; }
  // Iterations of each loop.
  std::size_t blocks() const { return parts_.count(); }
  static constexpr unsigned loops_a_step = 2;

 private:
  template <class Loops, class Body>
  void over_blocks(Loops& loops, const Body& body) const {
    loops.each(parts_.count(), 1, [&](std::size_t b) { body(b, parts_.first(b), parts_.last(b)); });
  }

  partition parts_;
  sennit::numa_array<double> from_;
  sennit::numa_array<double> to_;
  std::vector<double> before_;  // what comes before each block; before that, what the block adds up to
};

}  // namespace gallery
