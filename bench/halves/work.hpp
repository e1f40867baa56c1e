// SPDX-License-Identifier: Apache-2.0
// Work in registers only: each step needs the one before, so its time is the same on every
// compiler. work.rs is the same.
#pragma once

#include "common/program.hpp"

#include <cstdint>

namespace halves {

SENNIT_BENCH_NOINLINE inline std::uint64_t work(std::uint64_t value, std::uint64_t steps) {
  for (; steps != 0; --steps) {
    value ^= value >> 31;
    value *= 0xd6e8feb86659fd93u;
  }
  return value;
}

// `region(f, g)` runs both halves, in parallel if it can, and gives their sum.
template <typename Region>
std::uint64_t enter_repeatedly(std::uint64_t times, std::uint64_t steps, Region&& region) {
  std::uint64_t sum = 1;
  for (std::uint64_t i = 0; i < times; ++i)
    sum = region([=] { return work(sum, steps); }, [=] { return work(sum + 1, steps); });
  return sum;
}

}  // namespace halves
