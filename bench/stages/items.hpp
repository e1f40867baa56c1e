// SPDX-License-Identifier: Apache-2.0
// What goes through the pipelines of all systems, and what their stages do.
#pragma once

#include "common/program.hpp"

#include <cstdint>
#include <string_view>

namespace stages {

// Work in registers only: each step needs the one before.
SENNIT_BENCH_NOINLINE inline std::uint64_t mix(std::uint64_t value, std::uint64_t steps) {
  for (; steps != 0; --steps) {
    value ^= value >> 31;
    value *= 0xd6e8feb86659fd93u;
  }
  return value;
}

// Four stages: in order, two that take several items at a time, and in order again. `--work` is the steps of each of the two,
// about 1.5 ns each. Input `uneven`: of one item in eight eight times as many steps, in the first of the two; `ordered`: all
// four are in order.
class items {
 public:
  explicit items(const bench::program& program)
      : steps_(program.work()),
        uneven_(program.input() == "uneven"),
        ordered_(program.input() == "ordered") {}

  bool all_ordered() const { return ordered_; }
  void begin(std::uint64_t count) {
    count_ = count;
    asked_ = 0;
    sum_ = 0;
  }
  // The stages.
  bool has_more() const { return asked_ != count_; }
  std::uint64_t next() { return asked_++; }
  std::uint64_t first(std::uint64_t number) { return 2 * number + 1; }
  std::uint64_t second(std::uint64_t value) const {
    const bool is_long = uneven_ && (value >> 1) % 8 == 0;
    return mix(value, steps_ * (is_long ? 8 : 1));
  }
  std::uint64_t third(std::uint64_t value) const { return mix(value, steps_); }
  void last(std::uint64_t value) { sum_ = 31 * sum_ + value; }

  std::uint64_t check() const { return sum_; }

 private:
  const std::uint64_t steps_;
  const bool uneven_;
  const bool ordered_;
  std::uint64_t count_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t sum_ = 0;
};

// `pipeline(items)` takes all items through the stages.
template <typename Pipeline>
int run_with(bench::program& program, Pipeline&& pipeline) {
  items all(program);
  return program.run(
      [&](std::uint64_t count) {
        all.begin(count);
        pipeline(all);
        return count;
      },
      [&](std::uint64_t) { return all.check(); });
}

}  // namespace stages
