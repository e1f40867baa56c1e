// SPDX-License-Identifier: Apache-2.0
// y += a x over `size` elements, `work` times in a row, one loop each time. kernel.rs is the same.
#pragma once

#include "common/loops.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace daxpy {

constexpr std::size_t grain = 2048;  // for those that need one

template <class Loops>
class kernel {
 public:
  kernel(const bench::program& program, Loops& loops) : loops_(loops), times_(program.work()) {}

  void prepare(std::uint64_t n) {
    // Small integers, so that sums are exact whatever the compiler does.
    x_.resize(n);
    y_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      x_[i] = static_cast<double>(i % 7);
      y_[i] = static_cast<double>(i % 5);
    }
  }

  void run() {
    loops_.enter([this] {
      for (std::uint64_t time = 0; time < times_; ++time)
        loops_.each(y_.size(), grain,
                    [a = 3.0, x = x_.data(), y = y_.data()](std::size_t i) { y[i] += a * x[i]; });
    });
  }

  std::uint64_t check() const {
    bench::checksum sum;
    for (const double y : y_) sum.add(static_cast<std::uint64_t>(y));
    return sum.value();
  }

 private:
  Loops& loops_;
  std::uint64_t times_;
  std::vector<double> x_, y_;
};

}  // namespace daxpy
