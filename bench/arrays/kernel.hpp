// SPDX-License-Identifier: Apache-2.0
// Loops that a compiler turns into a few vector instructions: --input incr adds 1 to each of n numbers, plus-reduce adds them all up;
// --work says how often.
#pragma once

#include "common/loops.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace arrays {

constexpr std::size_t grain = 2048;  // for those that need one

template <class Loops>
class kernel {
 public:
  kernel(const bench::program& program, Loops& loops)
      : loops_(loops), times_(program.work()), reduces_(program.input() == "plus-reduce") {
    if (!reduces_ && program.input() != "incr")
      bench::program::fail("--input", "must be incr or plus-reduce");
  }

  void prepare(std::uint64_t n) {
    numbers_.resize(n);
    for (std::size_t i = 0; i < n; ++i) numbers_[i] = i % 1000;
    sum_ = 0;
  }
  void run() {
    loops_.enter([this] {
      for (std::uint64_t time = 0; time < times_; ++time) {
        std::uint64_t* const all = numbers_.data();
        if (reduces_) {
          sum_ += loops_.template sum<std::uint64_t>(numbers_.size(), grain,
                                                     [all](std::size_t i) { return all[i]; });
        } else {
          loops_.each(numbers_.size(), grain, [all](std::size_t i) { ++all[i]; });
        }
      }
    });
  }
  std::uint64_t check() const {
    if (reduces_) return sum_;
    bench::checksum sum;
    for (const std::uint64_t number : numbers_) sum.add(number);
    return sum.value();
  }

 private:
  Loops& loops_;
  std::uint64_t times_;
  bool reduces_;
  std::vector<std::uint64_t> numbers_;
  std::uint64_t sum_ = 0;
};

}  // namespace arrays
