// SPDX-License-Identifier: Apache-2.0
// Numbers of trees that are tried while splices run: they change the time only.
#include "support.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using sennit::divided;
using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::rectangle;
using sennit::splice_report;
using sennit::writes;
using field = std::vector<double>;

field some_numbers(std::int64_t n) {
  field x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7919 % 1021) / 7;
  return x;
}

// A stencil in blocks of a size, or of one that the library chooses. Its data is larger than the caches.
struct smoothing {
  field u[2];
  std::int64_t block = 0;

  explicit smoothing(std::int64_t n) : u{some_numbers(n), some_numbers(n)} {}
  auto tree(int t) {
    double* const out = u[(t + 1) % 2].data();
    const double* const in = u[t % 2].data();
    return divided{
        range{1, static_cast<std::int64_t>(u[0].size()) - 1}, block,
        [=](range r) { return effects(reads(memory_range(in, r.grown(1))), writes(memory_range(out, r))); },
        [=](range r) {
          for (auto i = r.first; i < r.last; ++i) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3 + t;
        }};
  }
};
constexpr auto small_caches = "synthetic:l2:1(size=65536) l1d:1(size=16384) core:1 pu:";

// Catches groups that leave trees out or do them twice, shifts of one number with another, and a search that never tries a
// number or never ends.
TEST(Together, NumbersThatAreTriedDoNotChangeResults) {
  try {
    for (const int workers : {1, 2}) {
      for (const std::int64_t block : {0, 400}) {
        constexpr int sweeps = 100;
        constexpr int times = 12;
        smoothing spliced(150'000);
        smoothing plain(150'000);
        spliced.block = block;
        sennit::runtime machine(
            {.workers = static_cast<unsigned>(workers), .topology = small_caches + std::to_string(workers)});
        splice_report report;
        for (int i = 0; i < times; ++i) {
          report =
              machine.run([&] { return sennit::splice(sweeps, [&](int t) { return spliced.tree(t); }); });
          for (int t = 0; t < sweeps; ++t) plain.tree(t)();
          ASSERT_TRUE(spliced.u[0] == plain.u[0] && spliced.u[1] == plain.u[1]) << i << ", " << report.text();
          ASSERT_LE(report.together, static_cast<unsigned>(sweeps));
        }
        if (block != 0) {
          EXPECT_GE(report.together_tried, 2U) << report.text();
          EXPECT_NE(report.text().find("after trying"), std::string::npos);
          EXPECT_EQ(report.block, block);
        }
        EXPECT_EQ(report.engine, sennit::splice_engine::wavefront);
      }
    }
  } catch (const std::invalid_argument&) {
    GTEST_SKIP() << "built without hwloc";
  }
}

// The same for tiles, whose size follows from the number.
TEST(Together, TilesFollowTheNumber) {
  try {
    constexpr std::int64_t rows = 120, columns = 90, cell = 30;
    field u[2] = {some_numbers(rows * columns * cell), some_numbers(rows * columns * cell)};
    field plain[2] = {u[0], u[1]};
    const auto tree = [](field(&of)[2], int t) {
      double* const out = of[(t + 1) % 2].data();
      const double* const in = of[t % 2].data();
      const auto box = [](const double* cube, rectangle r) {
        return sennit::memory_box<3>(cube, {columns * cell, cell}, {r.rows, r.columns, range{0, cell}});
      };
      return divided{
          rectangle{{1, rows - 1}, {1, columns - 1}}, 0,
          [=](rectangle r) { return effects(reads(box(in, r.grown(1))), writes(box(out, r))); },
          [=](rectangle r) {
            for (auto i = r.rows.first; i < r.rows.last; ++i)
              for (auto j = r.columns.first; j < r.columns.last; ++j)
                for (auto k = (i * columns + j) * cell; k < (i * columns + j + 1) * cell; ++k)
                  out[k] =
                      (in[k - cell] + in[k + cell] + in[k - columns * cell] + in[k + columns * cell]) / 4;
          }};
    };
    sennit::runtime one({.workers = 1, .topology = std::string(small_caches) + "1"});
    splice_report report;
    for (int i = 0; i < 8; ++i) {
      report = one.run([&] { return sennit::splice(40, [&](int t) { return tree(u, t); }); });
      for (int t = 0; t < 40; ++t) tree(plain, t)();
      ASSERT_TRUE(u[0] == plain[0] && u[1] == plain[1]);
    }
    EXPECT_GE(report.together_tried, 2U) << report.text();
  } catch (const std::invalid_argument&) {
    GTEST_SKIP() << "built without hwloc";
  }
}

// Catches numbers that are tried although the program gives one, or its data is small.
TEST(Together, NoNumberIsTriedWhereItDoesNotMatter) {
  smoothing small(5000);
  smoothing large(2'000'000);
  large.block = 20'000;
  sennit::runtime one({.workers = 1});
  one.run([&] {
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(sennit::splice(64, [&](int t) { return small.tree(t); }).together_tried, 0U);
      const splice_report report = sennit::splice({.together = 8}, 16, [&](int t) { return large.tree(t); });
      EXPECT_EQ(report.together_tried, 0U);
      EXPECT_EQ(report.together, 8U);
    }
  });
}

// Catches a number that is tried although so many trees are too far apart to be shifted.
TEST(Together, NoNumberIsTriedThatLosesTheShift) {
  try {
    constexpr std::int64_t rows = 300, columns = 100;
    field u[2] = {some_numbers(rows * columns), some_numbers(rows * columns)};
    sennit::runtime one({.workers = 1, .topology = std::string(small_caches) + "1"});
    splice_report report;
    for (int i = 0; i < 4; ++i) {
      report = one.run([&] {
        return sennit::splice(128, [&](int t) {
          const double* const in = u[t % 2].data();
          double* const out = u[(t + 1) % 2].data();
          const auto of = [](const double* x, range r) {
            return memory_range(x, range{r.first * columns, r.last * columns});
          };
          return divided{range{1, rows - 1}, 2,
                         [=](range r) { return effects(reads(of(in, r.grown(1))), writes(of(out, r))); },
                         [](range) {}};
        });
      });
      EXPECT_EQ(report.no_shift, sennit::splice_reason::none) << report.text();
      EXPECT_LE(report.together, 32U);
    }
    EXPECT_GE(report.together_tried, 3U) << report.text();
  } catch (const std::invalid_argument&) {
    GTEST_SKIP() << "built without hwloc";
  }
}

// Catches a splice of trees that cannot be copied, which does not compile.
TEST(Together, TreesNeedNoCopies) {
  field x(2'000'000);
  sennit::runtime one({.workers = 1});
  one.run([&] {
    sennit::splice(3, [&](int t) {
      return divided{range{0, static_cast<std::int64_t>(x.size())}, 100'000,
                     [&](range r) { return effects(writes(memory_range(x.data(), r))); },
                     [&, by = std::make_unique<int>(t + 1)](range r) {
                       for (auto i = r.first; i < r.last; ++i) x[static_cast<std::size_t>(i)] += *by;
                     }};
    });
  });
  EXPECT_EQ(x[77], 6);
}

#if SENNIT_EXCEPTIONS
// Catches a group that is run although a tree of an earlier group has failed, or a failure that is lost.
TEST(Together, FailuresEndTheSplice) {
  try {
    constexpr std::int64_t n = 100'000;
    field x(n);
    std::vector<int> done(200, 0);
    sennit::runtime one({.workers = 1, .topology = std::string(small_caches) + "1"});
    const auto run = [&](int failing, bool in_effects) {
      one.run([&] {
        sennit::splice(200, [&, failing, in_effects](int t) {
          return divided{range{0, n}, 1000,
                         [&, t, failing, in_effects](range r) {
                           if (in_effects && t == failing && r.size() == 1000)
                             throw std::runtime_error("effects");
                           return effects(writes(memory_range(x.data(), r)));
                         },
                         [&, t, failing, in_effects](range) {
                           if (!in_effects && t == failing) throw std::runtime_error("step");
                           ++done[static_cast<std::size_t>(t)];
                         }};
        });
      });
    };
    for (int i = 0; i < 4; ++i) {
      for (const bool in_effects : {false, true}) {
        done.assign(200, 0);
        EXPECT_THROW(run(70, in_effects), std::runtime_error);
        EXPECT_EQ(done[69], 100);
        EXPECT_EQ(done[70], 0);
        EXPECT_EQ(done[199], 0);
      }
    }
  } catch (const std::invalid_argument&) {
    GTEST_SKIP() << "built without hwloc";
  }
}
#endif

}  // namespace
