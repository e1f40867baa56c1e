// SPDX-License-Identifier: Apache-2.0
// Simulated time, and the time of strands: a fork is little more than a nanosecond.
#pragma once

#include <cstdint>

namespace sennit::sim {

using picoseconds = std::uint64_t;
inline constexpr picoseconds nanosecond = 1000;

}  // namespace sennit::sim
