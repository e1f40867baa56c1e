// SPDX-License-Identifier: Apache-2.0
// How long a worker that has taken work of a pipeline keeps what follows from it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sennit::policy {

inline constexpr std::uint64_t longest_keep_ns = 500'000;
// A shorter time is none.
inline constexpr std::uint64_t shortest_keep_ns = 1'000;

// A worker whose work has been taken has nothing to do after its item. If the item was brief, time passes in which
// nobody has the work: its thief has not begun with it. On a busy machine that is long. So a thief keeps its work for
// a multiple of that time. Items that last longer than a steal leave no such time, and soon their work is for anybody
// at once.
//
// `before`: for how long the latest thief has kept its work. `gap_ns`: for how long nobody has had the work.
constexpr std::uint64_t keep_for(std::uint64_t before, std::uint64_t gap_ns) noexcept {
  constexpr std::uint64_t times_gap = 16;
  return std::max(before / 2, std::min(gap_ns, longest_keep_ns / times_gap) * times_gap);
}

}  // namespace sennit::policy
