// SPDX-License-Identifier: Apache-2.0
// memory_runs: which bytes a region of data has.
#pragma once

#include <array>
#include <cstdint>

namespace sennit {

// Runs of contiguous bytes at equal distances, in one or two dimensions. Run (i, j), with i < count[0] and j < count[1],
// begins at first + i * pitch[0] + j * pitch[1].
//
// A region type of the program may have a function memory_runs runs_of(const R&), found by argument-dependent lookup, that
// says which bytes it has. Then `sennit view splice` can say how many bytes come from memory: see
// memoized_splice::note_memory(). A region that is contiguous needs no such function.
//
// Thread-safety: as any value.
//
// Example:
//   // Every second of some doubles.
//   struct every_second {
//     const double* from;
//     std::uint64_t n;
//     friend sennit::memory_runs runs_of(const every_second& e) {
//       return {.first = reinterpret_cast<std::uintptr_t>(e.from), .bytes = sizeof(double), .count = {e.n, 1},
//               .pitch = {2 * sizeof(double), 0}};
//     }
//   };
struct memory_runs {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;  // of each run
  std::array<std::uint64_t, 2> count{1, 1};
  std::array<std::uint64_t, 2> pitch{0, 0};

  friend constexpr bool operator==(const memory_runs&, const memory_runs&) = default;
};

}  // namespace sennit
