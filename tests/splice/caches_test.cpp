// SPDX-License-Identifier: Apache-2.0
// For which caches the library chooses blocks.
#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t length = 1 << 20;

// The block that is chosen for a stencil on a machine of one core with these caches.
std::int64_t block_on(const std::string& caches) {
  static std::vector<double> u[2] = {std::vector<double>(length), std::vector<double>(length)};
  sennit::runtime one({.workers = 1, .topology = "synthetic:" + caches + " core:1 pu:1"});
  // Memoized, as other splices try further sizes while they run.
  sennit::memoized_splice sweeps([](int t) {
    const double* const in = u[t % 2].data();
    double* const out = u[(t + 1) % 2].data();
    return sennit::divided{sennit::range{1, length - 1}, 0,
                           [=](sennit::range r) {
                             return sennit::effects(sennit::reads(sennit::memory_range(in, r.grown(1))),
                                                    sennit::writes(sennit::memory_range(out, r)));
                           },
                           [](sennit::range) {}};
  });
  one.run([&] { sweeps.run(4); });
  return sweeps.report().block;
}

// Catches blocks that are chosen for the machine on which the program runs, although the runtime's topology describes another
// one: then no test could say how many misses a splice has on a given cache.
TEST(CachesOfASplice, AreThoseOfTheTopology) {
  try {
    const std::int64_t small = block_on("l2:1(size=65536) l1d:1(size=16384)");
    const std::int64_t large = block_on("l2:1(size=4194304) l1d:1(size=16384)");
    EXPECT_GT(small, 0);
    EXPECT_LT(16 * small, 65536);
    EXPECT_GT(large, small);
    EXPECT_LT(16 * large, 4194304);
  } catch (const std::invalid_argument&) {
    GTEST_SKIP() << "built without hwloc";
  }
}

// Catches a description without sizes that changes blocks: hwloc makes up sizes for it.
TEST(CachesOfASplice, AreTheMachinesIfTheTopologyGivesNoSizes) {
  try {
    EXPECT_EQ(block_on("l3:1 l2:1 l1d:1"), block_on("l2:1"));
  } catch (const std::invalid_argument&) {
    GTEST_SKIP() << "built without hwloc";
  }
}

// Catches sizes that hwloc makes up for the levels that a description leaves open, beside one whose size it gives: then they
// count as the machine's.
TEST(CachesOfASplice, AreTheMachinesWhereTheTopologyLeavesThemOpen) {
  try {
    EXPECT_EQ(block_on("l2:1(size=4194304) l1d:1"), block_on("l2:1(size=4194304)"));
    EXPECT_LT(block_on("l2:1 l1d:1(size=65536)"), block_on("l2:1 l1d:1(size=131072)"));
  } catch (const std::invalid_argument&) {
    GTEST_SKIP() << "built without hwloc";
  }
}

// Catches blocks that fit the cache by themselves, while sweeps that are shifted use two blocks and the shift at a time: rows of a
// plate then come from memory twice.
TEST(CachesOfASplice, HaveRoomForTwoBlocksAndTheShift) {
  try {
    constexpr std::int64_t rows = 1000, columns = 1000;
    static std::vector<double> u[2] = {std::vector<double>(rows * columns),
                                       std::vector<double>(rows * columns)};
    sennit::runtime one(
        {.workers = 1, .topology = "synthetic:l2:1(size=1048576) l1d:1(size=32768) core:1 pu:1"});
    const sennit::splice_report report = one.run([&] {
      return sennit::splice(32, [](int t) {
        const double* const in = u[t % 2].data();
        double* const out = u[(t + 1) % 2].data();
        const auto of = [](const double* x, sennit::range r) {
          return sennit::memory_range(x, sennit::range{r.first * columns, r.last * columns});
        };
        return sennit::divided{sennit::range{1, rows - 1}, 0,
                               [=](sennit::range r) {
                                 return sennit::effects(sennit::reads(of(in, r.grown(1))),
                                                        sennit::writes(of(out, r)));
                               },
                               [](sennit::range) {}};
      });
    });
    EXPECT_EQ(report.shift, 31);
    EXPECT_LE((2 * report.block + report.shift) * columns * 16, (1 << 20) / 4 * 3);
  } catch (const std::invalid_argument&) {
    GTEST_SKIP() << "built without hwloc";
  }
}

// Catches blocks that are chosen for each tree by itself: where sweeps touch different amounts of data, as sums do beside
// stencils, blocks then begin at different places, and steps wait in spite of the shift.
TEST(CachesOfASplice, GiveAllTreesTheSameBlock) {
  static std::vector<double> u[2] = {std::vector<double>(length), std::vector<double>(length)};
  static double sums[16][length / 64];
  sennit::runtime one({.workers = 1});
  const sennit::splice_report report = one.run([&] {
    return sennit::splice(12, [](int t) {
      const double* const in = u[t % 2].data();
      double* const out = u[(t + 1) % 2].data();
      double* const sum = sums[t];
      return sennit::divided{
          sennit::range{0, length / 64}, 0,
          [=](sennit::range r) {
            const auto of = [](const double* x, sennit::range some) {
              const sennit::range inside = some.within({0, length / 64});
              return sennit::memory_range(x, sennit::range{inside.first * 64, inside.last * 64});
            };
            if (t % 4 == 3)
              return sennit::effects(sennit::reads(of(out, r)), sennit::writes(sennit::memory_range(sum, r)));
            return sennit::effects(sennit::reads(of(in, r.grown(1))), sennit::writes(of(out, r)));
          },
          [](sennit::range) {}};
    });
  });
  EXPECT_GT(report.shift, 0);
  EXPECT_EQ(report.delayed, 0U);
}

// Catches functions of which all go on together, although what they are apart by does not fit the cache: each sweep would then
// come from memory again.
TEST(CachesOfASplice, LetSoManyFunctionsGoOnTogetherAsFit) {
  try {
    constexpr std::int64_t planes = 64, plane = 8192;  // of 64 KiB
    static std::vector<double> u[2] = {std::vector<double>(planes * plane),
                                       std::vector<double>(planes * plane)};
    sennit::runtime one(
        {.workers = 1,
         .topology = "synthetic:l3:1(size=1048576) l2:1(size=65536) l1d:1(size=16384) core:1 pu:1"});
    std::int64_t begun[8] = {};
    std::int64_t steps = 0, last_of_first = 0;
    one.run([&] {
      sennit::splice(8, [&](int t) {
        const auto effects_of = [&, t](sennit::range r) {
          const auto of = [](const double* x, sennit::range some) {
            const sennit::range inside = some.within({0, planes});
            return sennit::memory_range(x, sennit::range{inside.first * plane, inside.last * plane});
          };
          return sennit::effects(sennit::reads(of(u[t % 2].data(), r.grown(1))),
                                 sennit::writes(of(u[(t + 1) % 2].data(), r)));
        };
        const sennit::call_effects fx{effects_of({0, planes})};
        sennit::step(sennit::sliced_range{{0, planes}, 0}, effects_of, [&, t](sennit::range r) {
          ++steps;
          if (r.first == 0) begun[t] = steps;
          if (t == 0) last_of_first = steps;
        });
      });
    });
    EXPECT_LT(begun[1], last_of_first);
    EXPECT_GT(begun[7], last_of_first);
  } catch (const std::invalid_argument&) {
    GTEST_SKIP() << "built without hwloc";
  }
}

// Catches small data that is cut in blocks, which cost time and gain nothing; and data of several sweeps that is taken for small,
// as each sweep has little.
TEST(CachesOfASplice, LeaveSmallDataInOnePiece) {
  try {
    static double numbers[16][1024];
    const auto spliced = [](unsigned workers, std::int64_t block, int arrays) {
      sennit::runtime some({.workers = workers,
                            .topology = "synthetic:l3:1(size=1048576) l2:" + std::to_string(workers) +
                                        "(size=65536) l1d:1(size=16384) core:1 pu:1"});
      return some.run([&] {
        return sennit::splice(12, [=](int t) {
          double* const x = numbers[t % arrays];
          return sennit::divided{
              sennit::range{0, 1024}, block,
              [=](sennit::range r) { return sennit::effects(sennit::writes(sennit::memory_range(x, r))); },
              [=](sennit::range r) {
                for (auto i = r.first; i < r.last; ++i) x[i] += 1;
              }};
        });
      });
    };
    const sennit::splice_report small = spliced(1, 0, 4);
    EXPECT_EQ(small.engine, sennit::splice_engine::in_order) << small.text();
    EXPECT_EQ(small.no_shift, sennit::splice_reason::small_data);
    EXPECT_EQ(small.steps, 12U);
    EXPECT_NE(spliced(1, 0, 12).no_shift, sennit::splice_reason::small_data) << "96 KiB in all";
    EXPECT_NE(spliced(1, 100, 4).engine, sennit::splice_engine::in_order) << "the program says the size";
    EXPECT_NE(spliced(2, 0, 4).engine, sennit::splice_engine::in_order) << "two workers share the trees";
    for (std::size_t a = 0; a < 12; ++a) EXPECT_EQ(numbers[a][1023], a < 4 ? 10 : 1) << a;
  } catch (const std::invalid_argument&) {
    GTEST_SKIP() << "built without hwloc";
  }
}

}  // namespace
