// SPDX-License-Identifier: Apache-2.0
// The grain of loops that name none, for the table of programs at several grains. bench/README.md, "PBBS".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace pbbs_table {

// PBBS_GRAIN; 0: the scheduler decides.
inline const std::size_t most = [] {
  const char* text = std::getenv("PBBS_GRAIN");
  return text ? std::strtoul(text, nullptr, 10) : 0;
}();

// As OpenCilk has it: at most that many iterations, and fewer where the workers would have less than 8 chunks each.
inline long grain(std::size_t iterations, long granularity, std::size_t workers) {
  if (granularity != 0 || most == 0) return granularity;
  const std::size_t parts = 8 * workers;
  return static_cast<long>(std::min(most, (iterations + parts - 1) / parts));
}

}  // namespace pbbs_table
