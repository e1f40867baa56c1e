// SPDX-License-Identifier: Apache-2.0
// Trees over rectangles, whose tiles the library shifts in two dimensions: results stay those of the loop.
#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
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

// Catches: a saved order that does not fit the tiles that are cut for it, and one that is followed with others.
TEST(Tiles, ArePartOfASavedOrder) {
  const auto sweeps_that_reach = [](plates& p, std::int64_t far) {
    p.fill(2);
    p.reaches = {{far, far, far, far}};
  };
  for (const std::int64_t block : {0, 7, 90}) {
    plates first{.rows = 90, .columns = 80, .depth = 20, .block = block};
    sweeps_that_reach(first, 1);
    sennit::memoized_splice found([&](int t) { return first.tree(t); });
    sennit::runtime& rt = sennit_test::runtime_of(2);
    rt.run([&] { found.run(8); });
    const auto saved = sennit::splice_schedule::from_bytes(found.schedule().to_bytes());

    plates second{.rows = 90, .columns = 80, .depth = 20, .block = block};
    sweeps_that_reach(second, 1);
    sennit::memoized_splice again([&](int t) { return second.tree(t); });
    again.follow(saved);
    rt.run([&] { again.run(8); });
    EXPECT_EQ(second.arrays, first.arrays);
    EXPECT_EQ(again.schedule(), saved);

    plates wider{.rows = 90, .columns = 80, .depth = 20, .block = block};
    sweeps_that_reach(wider, 5);
    sennit::memoized_splice other([&](int t) { return wider.tree(t); });
    other.follow(saved);
#if SENNIT_EXCEPTIONS
    EXPECT_THROW(rt.run([&] { other.run(8); }), std::runtime_error);
    EXPECT_EQ(wider.largest.load(), 0) << "some steps were run before it was refused";
#endif
  }
}

// What a user would write for a convolution of a plate with 5 x 5 weights.
auto convolution(std::vector<double> (&u)[2], long rows, long columns, int t) {
  double* const out = u[(t + 1) % 2].data();
  const double* const in = u[t % 2].data();
  const auto box = [=](const double* of, rectangle r) {
    return memory_box<2>(of, {columns}, {r.rows, r.columns});
  };
  return divided{rectangle{{2, rows - 2}, {2, columns - 2}}, 0,
                 [=](rectangle r) { return effects(reads(box(in, r.grown(2))), writes(box(out, r))); },
                 [=](rectangle r) {
                   for (auto i = r.rows.first; i < r.rows.last; ++i) {
                     for (auto j = r.columns.first; j < r.columns.last; ++j) {
                       double sum = 0;
                       for (long a = -2; a <= 2; ++a)
                         for (long b = -2; b <= 2; ++b)
                           sum += in[(i + a) * columns + j + b] * (1 + static_cast<double>(a * b)) / 25;
                       out[i * columns + j] = sum;
                     }
                   }
                 }};
}

// The same for the mean of 27 numbers of a cube. A cell is a row.
auto smoothing(std::vector<double> (&u)[2], long n, int t) {
  double* const out = u[(t + 1) % 2].data();
  const double* const in = u[t % 2].data();
  const auto box = [=](const double* of, rectangle r) {
    return memory_box<3>(of, {n * n, n}, {r.rows, r.columns, range{0, n}});
  };
  return divided{rectangle{{1, n - 1}, {1, n - 1}}, 0,
                 [=](rectangle r) { return effects(reads(box(in, r.grown(1))), writes(box(out, r))); },
                 [=](rectangle r) {
                   for (auto i = r.rows.first; i < r.rows.last; ++i) {
                     for (auto j = r.columns.first; j < r.columns.last; ++j) {
                       for (long k = 1; k < n - 1; ++k) {
                         double sum = 0;
                         for (long a = -1; a <= 1; ++a)
                           for (long b = -1; b <= 1; ++b)
                             for (long c = -1; c <= 1; ++c) sum += in[((i + a) * n + j + b) * n + k + c];
                         out[(i * n + j) * n + k] = sum / 27;
                       }
                     }
                   }
                 }};
}

template <class Tree>
void expect_fast_and_right(std::vector<double> (&u)[2], int n, const Tree& tree) {
  double x = 0;
  for (double& v : u[0]) v = (x += 0.37) > 50 ? x -= 50 : x;
  u[1] = u[0];
  const std::vector<double> before = u[0];
  for (int t = 0; t < n; ++t) tree(t)();
  const std::vector<double> right[2] = {u[0], u[1]};
  for (const unsigned workers : {1U, 2U}) {
    std::ranges::copy(before, u[0].begin());
    std::ranges::copy(before, u[1].begin());
    splice_report report;
    sennit_test::runtime_of(workers).run([&] { report = sennit::splice(n, tree); });
    EXPECT_EQ(u[0], right[0]);
    EXPECT_EQ(u[1], right[1]);
    EXPECT_EQ(report.engine, splice_engine::wavefront) << report.text();
    EXPECT_EQ(report.no_shift, sennit::splice_reason::none) << report.text();
    EXPECT_GT(report.shift, 0) << report.text();
  }
}

// Catches: a stencil as users write it that does not take the fast order.
TEST(Tiles, AreForAnyStencil) {
  std::vector<double> plate[2] = {std::vector<double>(301 * 407), std::vector<double>(301 * 407)};
  expect_fast_and_right(plate, 10, [&](int t) { return convolution(plate, 301, 407, t); });
  std::vector<double> cube[2] = {std::vector<double>(71 * 71 * 71), std::vector<double>(71 * 71 * 71)};
  expect_fast_and_right(cube, 9, [&](int t) { return smoothing(cube, 71, t); });
}

// Catches: a cube of few planes that is not tiled because five trees would need more of them.
TEST(Tiles, AreForFewRows) {
  plates p{.rows = 17, .columns = 90, .depth = 9};
  p.fill(2);
  p.reaches = {{1, 1, 1, 1}};
  const auto right = by_the_loop(p, 8);
  splice_report report;
  sennit_test::runtime_of(2).run([&] { report = sennit::splice(8, [&](int t) { return p.tree(t); }); });
  EXPECT_EQ(p.arrays, right);
  EXPECT_EQ(report.shift, 2) << report.text();  // an eighth of the rows
}

// Catches: sweeps over the inside of a plate, row by row, that are not shifted because the border is not in their effects.
TEST(Tiles, AreNotNeededForTheInsideOfAPlate) {
  std::vector<double> plate[2] = {std::vector<double>(301 * 407), std::vector<double>(301 * 407)};
  expect_fast_and_right(plate, 10, [&](int t) {
    const auto whole = convolution(plate, 301, 407, t);
    const range columns = whole.all.columns;
    return divided{whole.all.rows, 0, [=](range rows) { return whole.effects_of(rectangle{rows, columns}); },
                   [=](range rows) { whole.step(rectangle{rows, columns}); }};
  });
}

// Catches: a tree that cannot be tiled and is run in a wrong order, or without a word why it is not: of other rectangles; that needs
// all of the one before it; of which a tile reaches farther than those at the middle.
TEST(Tiles, AreLeftOutWhereTheyDoNotHelp) {
  constexpr long side = 64;
  std::vector<double> u(side * side);
  const auto run = [&](auto&& tree) {
    std::ranges::fill(u, 1.5);
    for (int t = 0; t < 5; ++t) tree(t)();
    const std::vector<double> right = u;
    std::ranges::fill(u, 1.5);
    splice_report report;
    sennit_test::runtime_of(2).run([&] { report = sennit::splice(5, tree); });
    EXPECT_EQ(u, right) << report.text();
    return report;
  };
  const auto box = [&](rectangle r) { return memory_box<2>(u.data(), {side}, {r.rows, r.columns}); };
  const auto add = [&](rectangle r) {
    for (auto i = r.rows.first; i < r.rows.last; ++i)
      for (auto j = r.columns.first; j < r.columns.last; ++j)
        u[static_cast<std::size_t>(i * side + j)] *= 1.25;
  };
  EXPECT_EQ(run([&](int t) {
              return divided{rectangle{{0, side - t}, {0, side}}, 50,
                             [=](rectangle r) { return effects(writes(box(r))); }, add};
            }).no_shift,
            sennit::splice_reason::ranges);
  EXPECT_EQ(run([&](int) {
              return divided{
                  rectangle{{0, side}, {0, side}}, 50,
                  [=](rectangle r) { return effects(reads(box({{0, side}, {0, side}})), writes(box(r))); },
                  add};
            }).no_shift,
            sennit::splice_reason::far_data);
  const auto odd_of = [&](range columns) {
    return run([=, &u](int) {
      return divided{rectangle{{0, side}, columns}, 50,
                     [=](rectangle r) {
                       const rectangle fifth{range{5, 6}.within(r.rows), r.columns};
                       return effects(
                           writes(box(r), box(fifth.size() == 0 ? fifth : rectangle{{5, 9}, r.columns})));
                     },
                     [=, &u](rectangle r) {
                       add(r);
                       if (r.rows.first > 5 || r.rows.last <= 5) return;
                       for (auto j = r.columns.first; j < r.columns.last; ++j)
                         u[static_cast<std::size_t>(8 * side + j)] += 1;
                     }};
    });
  };
  const splice_report odd = odd_of({side / 3, side});
  EXPECT_EQ(odd.no_wavefront, sennit::splice_reason::uneven_distance) << odd.text();
  EXPECT_EQ(odd.no_tiles, sennit::splice_reason::uneven_distance);
  // Of whole rows: the wavefront does what the tiles cannot, and the report has the comparisons of both.
  const splice_report instead = odd_of({0, side});
  EXPECT_EQ(instead.engine, splice_engine::wavefront);
  EXPECT_EQ(instead.no_wavefront, sennit::splice_reason::none);
  EXPECT_EQ(instead.no_tiles, sennit::splice_reason::uneven_distance);
  EXPECT_EQ(instead.tile_rows, 0);
  EXPECT_THAT(instead.text(),
              testing::HasSubstr("by the wavefront. Not tile by tile, because a tile needs data of an "
                                 "earlier tree that is farther away than at the middle.\n"));
}

// Catches comparisons that a report leaves out, because they were made for tiles that were then given up.
TEST(Tiles, ComparisonsThatLedToNothingCount) {
  constexpr long side = 64;
  std::vector<double> u(side * side);
  // One of the second tree's tiles, which begins at this row, writes farther down than the others.
  const auto report_of = [&](std::int64_t odd_row) {
    return sennit_test::runtime_of(1).run([&] {
      return sennit::splice(2, [&, odd_row](int t) {
        return divided{rectangle{{0, side}, {0, side}}, 2 * side,
                       [&, odd_row, t](rectangle r) {
                         const auto of = [&](range rows) {
                           return memory_box<2>(u.data(), {side}, {rows, range{0, side}});
                         };
                         const bool is_odd = t == 1 && r.rows.first <= odd_row && r.rows.last > odd_row;
                         return effects(
                             writes(of(r.rows), of(is_odd ? range{odd_row, odd_row + 8} : range{0, 0})));
                       },
                       [](rectangle) {}};
      });
    });
  };
  const splice_report even = report_of(-1);
  EXPECT_EQ(even.no_tiles, sennit::splice_reason::none);
  EXPECT_EQ(even.tile_rows, 2);
  EXPECT_EQ(even.tile_columns, side);
  const splice_report soon = report_of(8);
  const splice_report late = report_of(48);
  EXPECT_EQ(soon.no_tiles, sennit::splice_reason::uneven_distance);
  EXPECT_EQ(late.no_tiles, sennit::splice_reason::uneven_distance);
  // Twenty tiles more are compared before the odd one is found; the wavefront has as much to do.
  EXPECT_GE(late.checks, soon.checks + 15) << soon.text() << late.text();
}

// Catches parts of two rows, which would come before a part of the first row that they need: a sweep in place over nine points is
// another one then.
TEST(Tiles, ATreeGoesRowByRow) {
  for (const auto& [rows, columns] : {std::pair{20L, 300L}, {20L, 20L}, {12L, 30000L}}) {
    const auto sweep = [columns = columns](double* x, rectangle of) {
      for (auto i = of.rows.first; i < of.rows.last; ++i) {
        for (auto j = of.columns.first; j < of.columns.last; ++j) {
          double* const c = x + i * columns + j;
          *c = (c[1 - columns] + c[-1] + *c + c[1] + c[columns - 1]) / 5;
        }
      }
    };
    const rectangle inner{{1, rows - 1}, {1, columns - 1}};
    std::vector<double> start(static_cast<std::size_t>(rows * columns));
    random_numbers random(7);
    for (double& x : start) x = static_cast<double>(random.below(1000));
    std::vector<double> expected = start;
    for (int t = 0; t < 5; ++t) sweep(expected.data(), inner);
    for (const unsigned workers : {1U, 2U}) {
      for (const long block : {0L, 7L, 40L, 56L, 64L, 1000L}) {
        std::vector<double> u = start;
        sennit_test::runtime_of(workers).run([&] {
          sennit::splice(5, [&](int) {
            const auto of = [&, columns = columns](rectangle r) {
              return memory_box<2>(u.data(), {columns}, {r.rows, r.columns});
            };
            return divided{inner, block,
                           [=](rectangle r) { return effects(reads(of(r.grown(1))), writes(of(r))); },
                           [&](rectangle r) { sweep(u.data(), r); }};
          });
        });
        EXPECT_EQ(u, expected) << rows << " x " << columns << ", blocks of " << block << ", " << workers;
      }
    }
  }
}

}  // namespace
