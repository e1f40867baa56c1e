// SPDX-License-Identifier: Apache-2.0
// Lifflander and Krishnamoorthy, 2017, Table 1.
#include "programs/phases.hpp"

#include <algorithm>
#include <array>

namespace sennit::sim {

namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = kib * kib;
constexpr std::uint64_t gib = kib * mib;

// What a sweep does with arrays. All but the first two have two sweeps in turn.
enum class way : std::uint8_t {
  reads,     // one array
  in_place,  // reads and writes one array
  in_turn,   // reads one and writes the other, which change places
  with_one,  // the same, and reads a third one
  fields     // writes two by what it reads of a third one, then the third one by these
};
constexpr std::uint32_t arrays_of(way w) {
  return w == way::reads || w == way::in_place ? 1 : w == way::in_turn ? 2 : 3;
}

struct sizes {
  const char* name;
  std::uint64_t bytes;  // of an array
  way how;
  std::uint64_t block;  // in bytes of an array
  std::uint64_t slice;  // whole rows or planes of a block
  std::uint64_t reach;  // what a slice needs of each neighbor: an element, a row or a plane of the block
  unsigned steps;       // that are spliced
  double seconds;       // of a step, on one core
};

// mvt and bicg have two sweeps over one matrix: two steps of half the time. They reduce into accumulators, so that nothing
// depends on anything, and have no slices. What a slice of seidel-2d needs of its neighbors in the same sweep is left out: with
// it, a sweep is a chain.
constexpr std::array<sizes, 8> all_sizes{{
    {"jacobi-1d", 2 * gib, way::in_turn, 8 * mib, 64 * kib, 64, 16, 1.1},
    {"jacobi-2d", 8 * gib, way::in_turn, 32 * mib, 64 * kib, 32 * kib, 16, 4.7},
    {"jacobi-3d", 8 * gib, way::in_turn, 32 * mib, 512 * kib, 512 * kib, 8, 7.9},
    {"seidel-2d", 8 * gib, way::in_place, 32 * mib, 64 * kib, 0, 8, 8.0},
    {"fdtd-2d", 2 * gib, way::fields, 16 * mib, 64 * kib, 32 * kib, 8, 3.8},
    {"apop", 2 * gib, way::with_one, 8 * mib, 32 * kib, 64, 16, 2.6},
    {"mvt", 2 * gib, way::reads, 256 * kib, 256 * kib, 0, 2, 0.85},
    {"bicg", 8 * gib, way::reads, 256 * kib, 256 * kib, 0, 2, 3.5},
}};

class problem {
 public:
  explicit problem(const sizes& s)
      : s_(s),
        slices_(static_cast<std::uint32_t>(s.bytes / s.slice)),
        in_block_(static_cast<std::uint32_t>(s.block / s.slice)) {}

  phase first() const {
    return blocks([&](block_work& b, std::uint32_t slice) {
      for (std::uint32_t a = 0; a < arrays_of(s_.how); ++a) whole(b, a, slice, true);
    });
  }
  phase sweep(std::uint32_t turn) const {
    return blocks([&](block_work& b, std::uint32_t slice) {
      switch (s_.how) {
        case way::reads: whole(b, 0, slice, false); break;
        case way::in_place: whole(b, 0, slice, true); break;
        case way::with_one: whole(b, 2, slice, false); [[fallthrough]];
        case way::in_turn:
          before(b, turn, slice);
          whole(b, turn, slice, false);
          behind(b, turn, slice);
          whole(b, 1 - turn, slice, true);
          break;
        case way::fields:
          if (turn == 0) {
            before(b, 2, slice);
            whole(b, 2, slice, false);
          }
          for (std::uint32_t a = 0; a < 2; ++a) whole(b, a, slice, turn == 0);
          if (turn == 0) break;
          for (std::uint32_t a = 0; a < 2; ++a) behind(b, a, slice);
          whole(b, 2, slice, true);
          break;
      }
    });
  }
  bool has_turns() const { return s_.how != way::reads && s_.how != way::in_place; }

 private:
  template <class Touch>
  phase blocks(const Touch& touch_slice) const {
    phase all(slices_ / in_block_);
    for (std::uint32_t slice = 0; slice < slices_; ++slice) {
      block_work& b = all[slice / in_block_];
      touch_slice(b, slice);
      if (in_block_ > 1) b.slices.push_back(static_cast<std::uint32_t>(b.touched.size()));
    }
    return all;
  }
  void whole(block_work& b, std::uint32_t array, std::uint32_t slice, bool writes) const {
    b.touched.push_back({array * slices_ + slice, static_cast<std::uint32_t>(s_.slice), writes});
  }
  // What it needs of its neighbors.
  void near(block_work& b, std::uint32_t array, std::uint32_t slice) const {
    b.touched.push_back({array * slices_ + slice, static_cast<std::uint32_t>(s_.reach), false});
  }
  void before(block_work& b, std::uint32_t array, std::uint32_t slice) const {
    if (slice > 0) near(b, array, slice - 1);
  }
  void behind(block_work& b, std::uint32_t array, std::uint32_t slice) const {
    if (slice + 1 < slices_) near(b, array, slice + 1);
  }

  const sizes& s_;
  std::uint32_t slices_;  // of an array
  std::uint32_t in_block_;
};

}  // namespace

std::vector<phased_program> problems_of_000(unsigned finer) {
  std::vector<phased_program> all;
  for (sizes s : all_sizes) {
    s.block = std::max(s.block / finer, s.slice);
    const problem made(s);
    phased_program& p = all.emplace_back();
    p.name = s.name;
    p.serial_seconds = s.seconds * s.steps;
    p.initialize.push_back(made.first());
    p.step.push_back(made.sweep(0));
    p.times = s.steps;
    if (!made.has_turns()) continue;
    p.step.push_back(made.sweep(1));
    if (s.how != way::fields) p.times /= 2;
  }
  return all;
}

}  // namespace sennit::sim
