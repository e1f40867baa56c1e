// SPDX-License-Identifier: Apache-2.0
// `size` iterations of `work` steps, but for one, at the front, in the middle or at the end (the input),
// which takes 10,000 times as many. kernel.rs is the same.
#pragma once

#include "common/loops.hpp"
#include "halves/work.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace imbalance {

constexpr std::size_t grain = 1;
constexpr std::uint64_t factor = 10'000;

template <class Loops>
class kernel {
 public:
  kernel(const bench::program& program, Loops& loops)
      : loops_(loops), place_(program.input()), steps_(program.work()) {}

  void prepare(std::uint64_t n) {
    out_.assign(n, 0);
    if (place_ == "front") {
      heavy_ = 0;
    } else if (place_ == "middle") {
      heavy_ = n / 2;
    } else if (place_ == "end") {
      heavy_ = n - 1;
    } else {
      bench::program::fail("--input", "must be front, middle or end");
    }
  }

  void run() {
    loops_.enter([this] {
      loops_.each(out_.size(), grain, [heavy = heavy_, steps = steps_, out = out_.data()](std::size_t i) {
        out[i] = halves::work(i + 1, i == heavy ? factor * steps : steps);
      });
    });
  }

  std::uint64_t check() const {
    bench::checksum sum;
    for (const std::uint64_t value : out_) sum.add(value);
    return sum.value();
  }

 private:
  Loops& loops_;
  std::string place_;
  std::uint64_t steps_;
  std::size_t heavy_ = 0;
  std::vector<std::uint64_t> out_;
};

}  // namespace imbalance
