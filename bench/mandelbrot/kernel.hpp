// SPDX-License-Identifier: Apache-2.0
// A square picture of the Mandelbrot set, `size` pixels a side: how many steps each point takes to escape.
// Both loops are parallel. kernel.rs is the same.
#pragma once

#include "common/loops.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mandelbrot {

constexpr std::size_t grain = 64;  // pixels, for those that need one
constexpr std::uint32_t limit = 200;

inline std::uint32_t steps(double x, double y) {
  double u = 0, v = 0;
  std::uint32_t step = 0;
  while (step < limit && u * u + v * v <= 4) {
    const double next = u * u - v * v + x;
    v = 2 * u * v + y;
    u = next;
    ++step;
  }
  return step;
}

template <class Loops>
class kernel {
 public:
  kernel(const bench::program&, Loops& loops) : loops_(loops) {}

  void prepare(std::uint64_t side) {
    side_ = side;
    steps_.assign(side * side, 0);
  }

  void run() {
    loops_.enter([this] {
      const double pixel = 3.0 / static_cast<double>(side_);
      loops_.grid(side_, side_, grain,
                  [pixel, side = side_, out = steps_.data()](std::size_t i, std::size_t j) {
                    out[i * side + j] =
                        steps(-2.0 + pixel * static_cast<double>(j), -1.5 + pixel * static_cast<double>(i));
                  });
    });
  }

  std::uint64_t check() const {
    bench::checksum sum;
    for (const std::uint32_t steps : steps_) sum.add(steps);
    return sum.value();
  }

 private:
  Loops& loops_;
  std::size_t side_ = 0;
  std::vector<std::uint32_t> steps_;
};

}  // namespace mandelbrot
