// Lifflander and Krishnamoorthy, 2017, Table 1.
#include "programs/phases.hpp"

#include <array>

namespace sennit::sim {

namespace {

constexpr std::uint32_t slice =
    512 * 1024;  // more than a core's own cache, much less than a core's part of the shared one

struct sizes {
  const char* name;
  std::uint64_t bytes;    // of an array
  std::uint32_t arrays;   // all of them are touched in a step
  std::uint32_t written;  // of these; 2 arrays of which 1 is written change places from step to step
  unsigned steps;         // that are spliced
  double seconds;         // of a step, on one core
};

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

// mvt and bicg have two sweeps over one matrix: two steps of half the time.
constexpr std::array<sizes, 8> all_sizes{{
    {"jacobi-1d", 2 * gib, 2, 1, 16, 1.1},
    {"jacobi-2d", 8 * gib, 2, 1, 16, 4.7},
    {"jacobi-3d", 8 * gib, 2, 1, 8, 7.9},
    {"seidel-2d", 8 * gib, 1, 1, 8, 8.0},
    {"fdtd-2d", 2 * gib, 3, 3, 8, 3.8},
    {"apop", 2 * gib, 3, 1, 16, 2.6},
    {"mvt", 2 * gib, 1, 0, 2, 0.85},
    {"bicg", 8 * gib, 1, 0, 2, 3.5},
}};

// What a step does with a slice: reads all arrays, and writes some.
void touch_slice(std::vector<touch>& all, const sizes& s, std::uint32_t number, std::uint32_t slices,
                 unsigned step) {
  for (std::uint32_t a = 0; a < s.arrays; ++a) {
    const std::uint32_t turned = s.arrays == 2 ? (a + step) % 2 : a;
    all.push_back({turned * slices + number, slice, a >= s.arrays - s.written});
  }
}

}  // namespace

std::vector<spliced_pair> problems_of_000() {
  std::vector<spliced_pair> all;
  for (const sizes& s : all_sizes) {
    const auto slices = static_cast<std::uint32_t>(s.bytes / slice);
    constexpr std::uint32_t a_block = 8;
    const std::uint32_t blocks = slices / a_block;
    spliced_pair& pair = all.emplace_back();
    pair.loops = {.name = s.name, .initialize = {}, .step = {}, .serial_seconds = s.seconds * s.steps};
    phase first(blocks);
    for (std::uint32_t b = 0; b < blocks; ++b)
      for (std::uint32_t i = b * a_block; i < (b + 1) * a_block; ++i)
        for (std::uint32_t a = 0; a < s.arrays; ++a)
          first[b].touched.push_back({a * slices + i, slice, true});
    pair.loops.initialize.push_back(first);
    pair.spliced = pair.loops;
    for (unsigned step = 0; step < s.steps; ++step) {
      phase& sweep = pair.loops.step.emplace_back(blocks);
      for (std::uint32_t b = 0; b < blocks; ++b)
        for (std::uint32_t i = b * a_block; i < (b + 1) * a_block; ++i)
          touch_slice(sweep[b].touched, s, i, slices, step);
    }
    // All steps of a slice while it is in the shared cache.
    phase& bundle = pair.spliced.step.emplace_back(blocks);
    for (std::uint32_t b = 0; b < blocks; ++b)
      for (std::uint32_t i = b * a_block; i < (b + 1) * a_block; ++i)
        for (unsigned step = 0; step < s.steps; ++step) touch_slice(bundle[b].touched, s, i, slices, step);
  }
  return all;
}

}  // namespace sennit::sim
