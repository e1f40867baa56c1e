// SPDX-License-Identifier: Apache-2.0
// Loops whose iterations take nanoseconds or sleep for milliseconds, so that more workers are at work than the machine has
// CPUs. By the input:
//   changes     `size` iterations, over and over: 30 loops that only count, then one in which each sleeps; 3 times
//   neighbors   `size` iterations that only count, but for 8 in the middle, side by side, which sleep
// An iteration sleeps for `work` microseconds.
#pragma once

#include "common/loops.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace sleeping {

constexpr std::size_t grain = 1;

template <class Loops>
class kernel {
 public:
  kernel(const bench::program& program, Loops& loops)
      : loops_(loops), input_(program.input()), time_(program.work()) {
    if (input_ != "changes" && input_ != "neighbors")
      bench::program::fail("--input", "must be changes or neighbors");
  }

  void prepare(std::uint64_t n) { out_.assign(n, 0); }

  void run() {
    loops_.enter([this] {
      if (input_ == "changes") {
        for (int round = 0; round < 3; ++round) {
          for (int i = 0; i <= 30; ++i) each(i == 30 ? 0 : out_.size(), i == 30 ? out_.size() : 0);
        }
      } else {
        each(out_.size() / 2, out_.size() / 2 + 8);
      }
    });
  }

  std::uint64_t check() const {
    bench::checksum sum;
    for (const std::uint64_t value : out_) sum.add(value);
    return sum.value();
  }

 private:
  // Those in [from, to) sleep.
  void each(std::size_t from, std::size_t to) {
    loops_.each(out_.size(), grain, [from, to, time = time_, out = out_.data()](std::size_t i) {
      out[i] += i;
      if (from <= i && i < to) std::this_thread::sleep_for(time);
    });
  }

  Loops& loops_;
  const std::string input_;
  const std::chrono::microseconds time_;
  std::vector<std::uint64_t> out_;
};

}  // namespace sleeping
