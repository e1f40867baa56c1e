// SPDX-License-Identifier: Apache-2.0
// A copy of an array, block by block.
#pragma once

#include "gallery/phases.hpp"

#include <sennit/numa_array.hpp>

#include <cstddef>
#include <cstring>
#include <span>

namespace gallery {

class memcpy_blocks {
 public:
  explicit memcpy_blocks(std::size_t n, std::size_t block = 1 << 13) : parts_{n, block}, from_(n), to_(n) {}

  template <class Loops>
  void initialize(Loops&& loops) {
    over_blocks(loops, [this](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        from_[i] = static_cast<double>(i);
        to_[i] = -1;
      }
    });
  }

  template <class Loops>
  void step(Loops&& loops) {
    over_blocks(loops, [from = from_.data(), to = to_.data()](std::size_t first, std::size_t last) {
      std::memcpy(to + first, from + first, (last - first) * sizeof *to);
    });
  }

  // To fresh pages.
  template <class Loops>
  void redistribute(Loops&& loops) {
    from_.renew([&](const auto& old_from, auto& from) {
      to_.renew([&](const auto& old_to, auto& to) {
        over_blocks(loops, [&](std::size_t first, std::size_t last) {
          std::memcpy(from.data() + first, old_from.data() + first, (last - first) * sizeof(double));
          std::memcpy(to.data() + first, old_to.data() + first, (last - first) * sizeof(double));
        });
      });
    });
  }

  std::span<const double> copy() const { return {to_.data(), to_.size()}; }
  // Iterations of its loop.
  std::size_t blocks() const { return parts_.count(); }
  static constexpr unsigned loops_a_step = 1;

 private:
  template <class Loops, class Body>
  void over_blocks(Loops& loops, const Body& body) const {
    loops.each(parts_.count(), 1, [&](std::size_t b) { body(parts_.first(b), parts_.last(b)); });
  }

  partition parts_;
  sennit::numa_array<double> from_;
  sennit::numa_array<double> to_;
};

}  // namespace gallery
