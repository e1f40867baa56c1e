// SPDX-License-Identifier: Apache-2.0
// Lifflander, Krishnamoorthy and Kale, 2014, Table I.
#include "programs/phases.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace sennit::sim {

namespace {

constexpr std::uint32_t kib = 1024;
constexpr std::uint32_t mib = 1024 * kib;

// Arrays of blocks of equal sizes; block i of array a is number a * blocks + i.
struct arrays {
  std::uint32_t blocks;
  std::uint32_t bytes;
  std::uint32_t first = 0;
  touch of(std::uint32_t array, std::uint32_t block, bool writes, std::uint32_t some = 0) const {
    return {.block = first + array * blocks + block, .bytes = some == 0 ? bytes : some, .writes = writes};
  }
  // Some bytes of the neighbors at this distance.
  void borders(std::vector<touch>& all, std::uint32_t array, std::uint32_t block, std::uint32_t distance,
               std::uint32_t some) const {
    if (block >= distance) all.push_back(of(array, block - distance, false, some));
    if (block + distance < blocks) all.push_back(of(array, block + distance, false, some));
  }
};

template <class Touches>
phase each_block(std::uint32_t blocks, const Touches& touches) {
  phase all(blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) touches(i, all[i].touched);
  return all;
}

phase written(const arrays& data, std::uint32_t count) {
  return each_block(data.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
    for (std::uint32_t a = 0; a < count; ++a) t.push_back(data.of(a, i, true));
  });
}

// 32768 x 32768 numbers, 64 x 8192 a block: 2048 blocks of 4 MiB, four side by side.
phased_program heat() {
  const arrays data{.blocks = 2048, .bytes = 4 * mib};
  phased_program p{.name = "heat", .initialize = {written(data, 2)}, .step = {}, .serial_seconds = 4.7};
  p.step.push_back(each_block(data.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
    t.push_back(data.of(0, i, false));
    data.borders(t, 0, i, 4, 64 * kib);
    t.push_back(data.of(1, i, true));
  }));
  return p;
}

// Three fields; ex and ey read hz, hz reads both.
phased_program fdtd() {
  const arrays data{.blocks = 2048, .bytes = 4 * mib};
  phased_program p{
      .name = "fdtd-2d", .initialize = {written(data, 3)}, .step = {}, .serial_seconds = 4 * 3.8};
  for (const std::uint32_t field : {1U, 0U}) {
    p.step.push_back(each_block(data.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
      t.push_back(data.of(2, i, false));
      if (field == 1) data.borders(t, 2, i, 4, 64 * kib);
      t.push_back(data.of(field, i, true));
    }));
  }
  p.step.push_back(each_block(data.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
    t.push_back(data.of(0, i, false));
    t.push_back(data.of(1, i, false));
    data.borders(t, 1, i, 4, 64 * kib);
    t.push_back(data.of(2, i, true));
  }));
  return p;
}

// A matrix of 32768 x 32768 int, 64 x 4096 a block: 4096 blocks of 1 MiB. A step is one of the 32768 updates: each block reads
// its part of one row, and of one column, here of those in the middle.
phased_program floyd_warshall() {
  const arrays data{.blocks = 4096, .bytes = mib};
  phased_program p{
      .name = "floyd-warshall", .initialize = {written(data, 1)}, .step = {}, .serial_seconds = 0};
  p.step.push_back(each_block(data.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
    t.push_back(data.of(0, 2048 + i % 8, false, 16 * kib));
    t.push_back(data.of(0, i / 8 * 8 + 4, false, 64 * 64));
    t.push_back(data.of(0, i, true));
  }));
  return p;
}

// 2^22 rows of 256 entries of 12 bytes. The vector that is multiplied lies in 64 pieces; a task of 2048 rows reads two fifths
// of their lines. Then two loops over vectors.
phased_program cg() {
  const arrays matrix{.blocks = 2048, .bytes = 6 * mib};
  const arrays vectors{.blocks = 2048, .bytes = 16 * kib, .first = 2048};  // p, q, r, z
  phased_program p{.name = "cg", .initialize = {}, .step = {}, .serial_seconds = 0};
  p.initialize.push_back(each_block(matrix.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
    t.push_back(matrix.of(0, i, true));
    for (std::uint32_t v = 0; v < 4; ++v) t.push_back(vectors.of(v, i, true));
  }));
  p.step.push_back(each_block(matrix.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
    t.push_back(matrix.of(0, i, false));
    for (std::uint32_t piece = 0; piece < 64; ++piece)
      t.push_back(vectors.of(0, (i + piece * 32) % vectors.blocks, false, 16 * kib));
    t.push_back(vectors.of(1, i, true));
  }));
  p.step.push_back(each_block(matrix.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
    for (const std::uint32_t v : {0U, 1U}) t.push_back(vectors.of(v, i, false));
    for (const std::uint32_t v : {2U, 3U}) t.push_back(vectors.of(v, i, true));
  }));
  p.step.push_back(each_block(matrix.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
    t.push_back(vectors.of(2, i, false));
    t.push_back(vectors.of(0, i, true));
  }));
  return p;
}

// A V-cycle over grids of 1024^3 to 32^3 numbers: 4096 blocks to 64, as Table I has. Down: residual to the coarser grid; up:
// interpolation, residual, smoothing.
phased_program mg() {
  struct grid {
    arrays u;  // u, v, r
  };
  std::vector<arrays> grids;
  std::uint32_t first = 0;
  for (std::uint32_t level = 0; level < 6; ++level) {
    const std::uint64_t bytes = (std::uint64_t{8} << 30) >> 3 * level;
    const std::uint32_t blocks = std::max<std::uint32_t>(64, 4096U >> 3 * level);
    grids.push_back({.blocks = blocks, .bytes = static_cast<std::uint32_t>(bytes / blocks), .first = first});
    first += 3 * blocks;
  }
  phased_program p{.name = "mg", .initialize = {}, .step = {}, .serial_seconds = 0};
  for (const arrays& g : grids) p.initialize.push_back(written(g, 3));
  // Of one array to another of the same grid, or of the next one.
  const auto stencil = [](const arrays& g, std::uint32_t from, std::uint32_t to) {
    return each_block(g.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
      t.push_back(g.of(from, i, false));
      g.borders(t, from, i, 1, g.bytes / 16);
      t.push_back(g.of(to, i, true));
    });
  };
  const auto between = [](const arrays& fine, const arrays& coarse, bool down) {
    const arrays& over = down ? coarse : fine;
    return each_block(over.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
      const std::uint32_t times = fine.blocks / coarse.blocks;
      if (down) {
        for (std::uint32_t k = 0; k < times; ++k) t.push_back(fine.of(2, i * times + k, false));
        t.push_back(coarse.of(2, i, true));
      } else {
        t.push_back(coarse.of(0, i / times, false, coarse.bytes / times));
        t.push_back(fine.of(0, i, true));
      }
    });
  };
  p.step.push_back(stencil(grids[0], 0, 2));
  for (std::size_t level = 0; level + 1 < grids.size(); ++level)
    p.step.push_back(between(grids[level], grids[level + 1], true));
  p.step.push_back(stencil(grids.back(), 2, 0));
  for (std::size_t level = grids.size() - 1; level-- > 0;) {
    p.step.push_back(between(grids[level], grids[level + 1], false));
    p.step.push_back(stencil(grids[level], 0, 2));
    p.step.push_back(stencil(grids[level], 2, 0));
  }
  return p;
}

// 256 MB of numbers in 512 blocks: sums of blocks, and then the blocks.
phased_program scan() {
  const arrays data{.blocks = 512, .bytes = 512 * kib};
  phased_program p{.name = "scan", .initialize = {written(data, 2)}, .step = {}, .serial_seconds = 0};
  p.step.push_back(each_block(
      data.blocks, [&](std::uint32_t i, std::vector<touch>& t) { t.push_back(data.of(0, i, false)); }));
  p.step.push_back(each_block(data.blocks, [&](std::uint32_t i, std::vector<touch>& t) {
    t.push_back(data.of(0, i, false));
    t.push_back(data.of(1, i, true));
  }));
  return p;
}

// Blocks as above, four side by side, of 64 rows of 64 KiB.
class sliced {
 public:
  phase sweep(std::span<const std::uint32_t> reads, std::span<const std::uint32_t> above,
              std::span<const std::uint32_t> below, std::span<const std::uint32_t> writes) const {
    phase all(blocks);
    for (std::uint32_t b = 0; b < blocks; ++b) {
      for (std::uint32_t row = 0; row < rows; ++row) {
        std::vector<touch>& t = all[b].touched;
        for (const std::uint32_t a : reads) t.push_back(slice(a, b, row, false));
        for (const std::uint32_t a : above)
          if (row > 0 || b >= 4)
            t.push_back(row > 0 ? slice(a, b, row - 1, false) : slice(a, b - 4, rows - 1, false));
        for (const std::uint32_t a : below)
          if (row + 1 < rows || b + 4 < blocks)
            t.push_back(row + 1 < rows ? slice(a, b, row + 1, false) : slice(a, b + 4, 0, false));
        for (const std::uint32_t a : writes) t.push_back(slice(a, b, row, true));
        all[b].slices.push_back(static_cast<std::uint32_t>(t.size()));
      }
    }
    return all;
  }

 private:
  static constexpr std::uint32_t blocks = 2048;
  static constexpr std::uint32_t rows = 64;
  static touch slice(std::uint32_t array, std::uint32_t block, std::uint32_t row, bool writes) {
    return {.block = (array * blocks + block) * rows + row, .bytes = 64 * kib, .writes = writes};
  }
};

}  // namespace

std::vector<phased_program> sliced_problems_of_004() {
  constexpr std::array<std::uint32_t, 3> arrays{0, 1, 2};
  const std::span<const std::uint32_t> none;
  const auto only = [&](std::uint32_t a) { return std::span(arrays).subspan(a, 1); };
  const auto both = std::span(arrays).first(2);
  const sliced data;
  phased_program heat{.name = "heat", .initialize = {}, .step = {}, .times = 8};
  heat.initialize.push_back(data.sweep(none, none, none, both));
  for (const std::uint32_t from : {0U, 1U})
    heat.step.push_back(data.sweep(only(from), only(from), only(from), only(1 - from)));
  phased_program fdtd{.name = "fdtd-2d", .initialize = {}, .step = {}, .times = 8};
  fdtd.initialize.push_back(data.sweep(none, none, none, arrays));
  fdtd.step.push_back(data.sweep(only(2), only(2), none, only(1)));
  fdtd.step.push_back(data.sweep(only(2), none, none, only(0)));
  fdtd.step.push_back(data.sweep(both, none, only(1), only(2)));
  return {heat, fdtd};
}

std::vector<phased_program> problems_of_004() {
  return {heat(), fdtd(), floyd_warshall(), cg(), mg(), scan()};
}

void give_times(phased_program& what, double memory, double seconds) {
  const double of_strands = seconds > 0 ? std::max(0.0, seconds - memory) : memory / 3;
  double bytes = 0;
  for (const phase& each : what.step)
    for (const block_work& block : each)
      for (const touch& t : block.touched) bytes += static_cast<double>(what.times) * t.bytes;
  for (std::vector<phase>* all : {&what.initialize, &what.step})
    for (phase& each : *all) {
      for (block_work& block : each) {
        double own = 0;
        for (const touch& t : block.touched) own += t.bytes;
        block.time = static_cast<picoseconds>(of_strands * own / bytes * 1e12);
      }
    }
}

}  // namespace sennit::sim
