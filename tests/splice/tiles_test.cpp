// Trees over rectangles, whose tiles the library shifts in two dimensions: results stay those of the loop.
#include "support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using sennit::divided;
using sennit::effects;
using sennit::memory_box;
using sennit::range;
using sennit::reads;
using sennit::rectangle;
using sennit::splice_engine;
using sennit::splice_report;
using sennit::writes;
using sennit_test::random_numbers;

// How far a sweep reads from a cell, to each side.
struct reach {
  std::int64_t up = 0;
  std::int64_t down = 0;
  std::int64_t left = 0;
  std::int64_t right = 0;
  bool in_place = false;
};

// Sweeps over `arrays` by turns, of cells of some numbers.
struct plates {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t depth = 1;  // numbers of a cell
  std::int64_t margin = 6;
  std::int64_t block = 0;
  std::vector<std::vector<double>> arrays{};
  std::vector<reach> reaches{};  // of the sweeps by turns
  std::atomic<std::int64_t> largest{0};

  std::int64_t width() const { return columns + 2 * margin; }
  void fill(std::size_t count) {
    arrays.assign(count,
                  std::vector<double>(static_cast<std::size_t>((rows + 2 * margin) * width() * depth)));
    double x = 0;
    for (auto& a : arrays)
      for (double& v : a) v = (x += 0.37) > 50 ? x -= 50 : x;
  }
  double* cell(std::size_t array, std::int64_t i, std::int64_t j) {
    return arrays[array].data() + ((i + margin) * width() + j + margin) * depth;
  }
  auto tree(int t) {
    const reach r = reaches[static_cast<std::size_t>(t) % reaches.size()];
    const auto from = static_cast<std::size_t>(t) % arrays.size();
    const auto to = r.in_place ? from : static_cast<std::size_t>(t + 1) % arrays.size();
    const auto box = [this](std::size_t array, rectangle of) {
      return memory_box<3>(arrays[array].data(), {width() * depth, depth},
                           {of.rows.grown(0), of.columns.grown(0), range{0, depth}});
    };
    const auto moved = [this](range of, std::int64_t before, std::int64_t behind) {
      return range{of.first + margin - before, of.last + margin + behind};
    };
    return divided{
        rectangle{{0, rows}, {0, columns}}, block,
        [=](rectangle some) {
          return effects(
              reads(box(from, {moved(some.rows, r.up, r.down), moved(some.columns, r.left, r.right)})),
              writes(box(to, {moved(some.rows, 0, 0), moved(some.columns, 0, 0)})));
        },
        [=, this](rectangle some) {
          std::int64_t seen = largest.load();
          while (seen < some.size() && !largest.compare_exchange_weak(seen, some.size())) {
          }
          for (auto i = some.rows.first; i < some.rows.last; ++i) {
            for (auto j = some.columns.first; j < some.columns.last; ++j) {
              for (std::int64_t k = 0; k < depth; ++k) {
                cell(to, i, j)[k] = (cell(from, i - r.up, j - r.left)[k] + 2 * cell(from, i, j)[k] +
                                     3 * cell(from, i + r.down, j + r.right)[k]) /
                                        6.5 +
                                    t;
              }
            }
          }
        }};
  }
  void copy_shape(const plates& other) {
    arrays = other.arrays;
    reaches = other.reaches;
  }
};

std::vector<std::vector<double>> by_the_loop(const plates& p, int n) {
  plates serial{.rows = p.rows, .columns = p.columns, .depth = p.depth, .block = p.block};
  serial.copy_shape(p);
  for (int t = 0; t < n; ++t) serial.tree(t)();
  return serial.arrays;
}

// Catches: planes of a cube that are larger than the cache, whose sweeps are interleaved plane by plane, or not at all.
TEST(Tiles, AreShiftedInTwoDimensions) {
  for (const unsigned workers : {1U, 2U}) {
    plates p{.rows = 90, .columns = 90, .depth = 700};
    p.fill(2);
    p.reaches = {{1, 1, 1, 1}};
    const auto right = by_the_loop(p, 8);
    splice_report report;
    sennit_test::runtime_of(workers).run(
        [&] { report = sennit::splice(8, [&](int t) { return p.tree(t); }); });
    EXPECT_EQ(p.arrays, right);
    EXPECT_EQ(report.engine, splice_engine::wavefront) << report.text();
    EXPECT_EQ(report.delayed, 0U);
    EXPECT_GT(report.shift, 0);
  }
}

// Catches: results that differ from the loop's, with any reach in each direction, in place or not, with many arrays, blocks, groups
// and workers, spliced and memoized; rectangles thinner than the reach, and without cells.
TEST(Tiles, KeepTheResultsOfTheLoop) {
  random_numbers random(5);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n)));
  };
  int shifted = 0;
  for (int round = 0; round < sennit_test::scaled(400); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const auto side = [&] { return below(8) == 0 ? below(5) : 20 + below(150); };
    plates p{.rows = side(), .columns = side(), .depth = 1 + below(3)};
    p.block = below(6) == 0 ? 0 : 1 + below(below(3) == 0 ? 12 : 100);
    const auto arrays = static_cast<std::size_t>(below(3) == 0 ? 1 + below(3) : 2);
    p.fill(arrays);
    const std::int64_t far = 1 + below(round % 3 == 0 ? 6 : 2);
    for (auto phases = 1 + below(3); phases > 0; --phases) {
      p.reaches.push_back({below(far), below(far), below(far), below(far), arrays == 1 || below(9) == 0});
      // In place, a sweep reads only what it writes.
      if (p.reaches.back().in_place) p.reaches.back() = {.in_place = true};
    }
    const int n = static_cast<int>(1 + below(12));
    const auto right = by_the_loop(p, n);
    const auto before = p.arrays;
    const auto together = static_cast<std::uint32_t>(below(2) * below(8));
    sennit::runtime& rt = sennit_test::runtime_of(static_cast<unsigned>(1 + below(4)));
    splice_report report;
    rt.run([&] { report = sennit::splice({.together = together}, n, [&](int t) { return p.tree(t); }); });
    ASSERT_EQ(p.arrays, right) << report.text();
    shifted += report.shift > 0 && report.shift_of_columns > 0;
    const auto body = [&](int t) { return p.tree(t); };
    sennit::memoized_splice memo(body, {.together = together});
    for (int again = 0; again < 2; ++again) {
      for (std::size_t i = 0; i < arrays; ++i) std::ranges::copy(before[i], p.arrays[i].begin());
      rt.run([&] { memo.run(n); });
      ASSERT_EQ(p.arrays, right) << "memoized";
    }
    if (p.block > 0) {
      ASSERT_LE(p.largest.load(), p.block);
    }
  }
  EXPECT_GT(shifted, sennit_test::scaled(50)) << "nothing was shifted, so that the test shows nothing";
}

}  // namespace
