// SPDX-License-Identifier: Apache-2.0
// Sizes of blocks that are tried while a splice runs: they change the time only.
#include <sennit/detail/splice/block_plan.hpp>
#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace {

using sennit::divided;
using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::writes;
using sennit::detail::block_plan;
using sennit::detail::block_site;

std::vector<double> some_numbers(std::int64_t n) {
  std::vector<double> all(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(i * 7919 % 1021);
  return all;
}

// A stencil that reads `before` and `behind` each index, in blocks that the library chooses.
struct smoothing {
  std::int64_t before;
  std::int64_t behind;
  std::vector<double> even;
  std::vector<double> odd;

  range inner() const { return {before, static_cast<std::int64_t>(even.size()) - behind}; }
  void sweep(int t, range r) {
    const double* const in = (t % 2 == 0 ? even : odd).data();
    double* const out = (t % 2 == 0 ? odd : even).data();
    for (auto i = r.first; i < r.last; ++i) out[i] = (in[i - before] + in[i] + in[i + behind]) / 3 + t;
  }
  sennit::splice_report run(int times) {
    return sennit::splice(times, [this](int t) {
      const double* const in = (t % 2 == 0 ? even : odd).data();
      double* const out = (t % 2 == 0 ? odd : even).data();
      return divided{inner(), 0,
                     [=, this](range r) {
                       return effects(reads(memory_range(in, range{r.first - before, r.last + behind})),
                                      writes(memory_range(out, r)));
                     },
                     [=, this](range r) { sweep(t, r); }};
    });
  }
};

// Catches blocks of two sizes that do not meet, so that indices are left out or done twice, and orders that depend on the
// sizes; also where calls come in several groups.
TEST(Blocks, SizesThatAreTriedDoNotChangeResults) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    for (const std::int64_t n : {1'000'003, 4'000'000}) {
      const std::vector<double> numbers = some_numbers(n);
      smoothing spliced{2, 1, numbers, numbers};
      smoothing plain = spliced;
      sennit::runtime machine({.workers = workers});
      const sennit::splice_report report = machine.run([&] { return spliced.run(35); });
      for (int t = 0; t < 35; ++t) plain.sweep(t, plain.inner());
      EXPECT_TRUE(spliced.even == plain.even && spliced.odd == plain.odd);
      EXPECT_GT(report.block, 0);
      if (workers == 1) {
        EXPECT_GT(report.blocks_tried, 1U);
      }
    }
  }
}

// Catches trees that are cut at different places: their steps would wait for one another.
TEST(Blocks, AllTreesAreCutAtTheSamePlaces) {
  std::vector<double> numbers = some_numbers(3'000'000);
  const range all{0, static_cast<std::int64_t>(numbers.size())};
  std::vector<std::set<std::pair<std::int64_t, std::int64_t>>> seen(12);
  std::mutex lock;
  sennit::runtime machine({.workers = 2});
  machine.run([&] {
    sennit::splice(12, [&](int t) {
      return divided{all, 0, [&](range r) { return effects(writes(memory_range(numbers.data(), r))); },
                     [&, t](range r) {
                       for (auto i = r.first; i < r.last; ++i) numbers[static_cast<std::size_t>(i)] += t;
                       const std::lock_guard guard(lock);
                       seen[static_cast<std::size_t>(t)].emplace(r.first, r.last);
                     }};
    });
  });
  for (const auto& blocks : seen) EXPECT_EQ(blocks, seen.front());
}

// Catches a saved order whose blocks nobody can cut again.
TEST(Blocks, MemoizedSplicesTryNone) {
  std::vector<double> numbers = some_numbers(3'000'000);
  const range all{0, static_cast<std::int64_t>(numbers.size())};
  sennit::memoized_splice often([&](int) {
    return divided{all, 0, [&](range r) { return effects(writes(memory_range(numbers.data(), r))); },
                   [&](range r) {
                     for (auto i = r.first; i < r.last; ++i) numbers[static_cast<std::size_t>(i)] += 1;
                   }};
  });
  for (int i = 0; i < 3; ++i) often.run(4);
  EXPECT_EQ(often.report().blocks_tried, 0U);
}

// Catches zones that leave gaps, overlap, or are not where a program that halves its data has its parts.
TEST(Blocks, ZonesAreHalvesOfHalves) {
  block_site site;
  const range all{5, 5 + 15000};
  const block_plan plan(site, all, 1, 1, 8);
  EXPECT_EQ(plan.middle_of(all), 5 + 7500);
  EXPECT_EQ(plan.middle_of({5, 5 + 7500}), 5 + 3750);
  EXPECT_FALSE(plan.in_one_zone({5 + 7499, 5 + 7501}));
  EXPECT_FALSE(plan.in_one_zone({5 + 1874, 5 + 1876}));
  EXPECT_TRUE(plan.in_one_zone({5, 5 + 234}));
  EXPECT_TRUE(plan.in_one_zone({all.last - 234, all.last}));
  EXPECT_TRUE(plan.in_one_zone({7, 7}));
}

// Catches a size that changes while trees are between the beginning and the end of a zone.
TEST(Blocks, AZoneKeepsItsSize) {
  block_site site;
  const range all{0, 64 * 64 * 10};
  const block_plan plan(site, all, 10, 1, 80);
  const std::int64_t first = plan.block_at(0);
  EXPECT_EQ(first, 10);
  for (std::int64_t i = 0; i < all.last; i += 64) {
    const std::int64_t size = plan.block_at(i);
    if (i % 640 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));  // what the steps take
    EXPECT_GT(size, 0);
    EXPECT_EQ(plan.block_at(i), size);
  }
  EXPECT_EQ(plan.block_at(0), first);
  EXPECT_GT(site.tried(), 1U);
}

// Catches times of zones that somebody has looked at, and whose steps run later: they say nothing of blocks.
TEST(Blocks, AZoneThatNobodyHasWalkedHasNoTime) {
  block_site site;
  constexpr std::int64_t length = std::int64_t{1} << 40;
  const block_plan plan(site, {0, length}, 1, 1, 64);
  for (std::int64_t i = 0; i < length; i += length / 64) EXPECT_EQ(plan.block_at(i), 1);
  EXPECT_EQ(site.tried(), 0U);
}

// Catches a search that begins anew with each splice, and one that goes on with blocks of another kind.
TEST(Blocks, ASiteRemembersWhatIsBest) {
  block_site site;
  site.begin(100, 1, 1000);
  while (site.tried() < 2) site.took(site.size(), 1000.0 / static_cast<double>(site.size()));
  const unsigned tried = site.tried();
  site.begin(100, 1, 1000);
  EXPECT_EQ(site.tried(), tried);
  EXPECT_GT(site.size(), 100);
  site.begin(50, 1, 1000);
  EXPECT_EQ(site.tried(), 0U);
  EXPECT_EQ(site.size(), 50);
}

// Catches a size that is forgotten as soon as other trees are spliced at the place: a memoized splice would look for an order again
// and again.
TEST(Blocks, WhatHasBeenFoundStays) {
  block_site site;
  EXPECT_EQ(site.found_from(100), 0);
  site.begin(100, 10, 1000);
  for (int i = 0; i < 40 && !site.over(); ++i) site.took(site.size(), site.size() == 200 ? 1.0 : 2.0);
  ASSERT_TRUE(site.over());
  EXPECT_EQ(site.found_from(100), 200);
  EXPECT_EQ(site.found_from(50), 0) << "it began elsewhere";
  site.begin(300, 10, 1000);
  EXPECT_EQ(site.found_from(100), 200);
}

}  // namespace
