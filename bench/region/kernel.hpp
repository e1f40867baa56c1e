// SPDX-License-Identifier: Apache-2.0
// A loop of few iterations of a few nanoseconds, `size` times in a row: the iterations are the input, `work`
// is the steps of each. Unless `outside`, all are entered from within the runtime. kernel.rs is the same.
#pragma once

#include "common/loops.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace region {

constexpr std::size_t grain = 250;  // for those that need one: with iterations of 5 ns, 1.25 us

// No step can begin before the last has ended, and no compiler makes one step of two, so their time is the
// same on all.
SENNIT_BENCH_NOINLINE inline std::uint64_t steps(std::uint64_t value, std::uint64_t count) {
  for (; count != 0; --count) value = (value ^ (value >> 1)) + 0x9e3779b97f4a7c15u;
  return value;
}

inline std::size_t iterations(const bench::program& program) {
  const std::string& text = program.input();
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n == 0)
    bench::program::fail("--input", "must be the number of iterations");
  return n;
}

template <class Loops>
class kernel {
 public:
  kernel(const bench::program& program, Loops& loops)
      : loops_(loops), outside_(program.is("outside")), steps_(program.work()), out_(iterations(program)) {}

  void prepare(std::uint64_t regions) {
    regions_ = regions;
    std::fill(out_.begin(), out_.end(), 0);
  }

  void run() {
    if (outside_) {
      for (std::uint64_t i = 0; i < regions_; ++i) loops_.enter([this] { loop(); });
    } else {
      loops_.enter([this] {
        for (std::uint64_t i = 0; i < regions_; ++i) loop();
      });
    }
  }

  std::uint64_t check() const {
    bench::checksum sum;
    for (const std::uint64_t value : out_) sum.add(value);
    return sum.value();
  }

 private:
  void loop() {
    loops_.each(out_.size(), grain,
                [count = steps_, out = out_.data()](std::size_t i) { out[i] = steps(out[i] + i, count); });
  }

  Loops& loops_;
  bool outside_;
  std::uint64_t steps_;
  std::uint64_t regions_ = 0;
  std::vector<std::uint64_t> out_;
};

}  // namespace region
