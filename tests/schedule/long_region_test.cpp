// SPDX-License-Identifier: Apache-2.0
// Regions with many constructs: what is noted of one takes as much memory as what is noted of any other.
#include "../core/support.hpp"
#include "../replaced_new.hpp"

#include <sennit/distribution.hpp>
#include <sennit/refine.hpp>
#include <sennit/replay.hpp>
#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>

namespace {

constinit std::atomic<std::size_t> allocated{0};  // bytes, ever

}  // namespace

void sennit_test::allocating(std::size_t bytes) { allocated.fetch_add(bytes, std::memory_order_relaxed); }

namespace {

template <class F>
std::size_t bytes_of(F&& f) {
  const std::size_t before = allocated;
  f();
  return allocated - before;
}

// A loop of two iterations, one for each worker, `loops` times.
void phases(unsigned loops) {
  for (unsigned i = 0; i < loops; ++i) sennit::parallel_for(0, 2, [](int) {}, sennit::grain(1));
}

// A program that recurses in the right branches, which two workers run in turn.
void chain(unsigned depth) {
  if (depth == 0) return;
  sennit::designate(depth % 2);
  sennit::join([] {}, [=] { chain(depth - 1); });
}

TEST(LongRegion, IsRecordedInMemoryThatGrowsWithTheSteals) {
  // Catches: a list of notes that is copied for each of its notes.
  sennit::runtime two({.workers = 2});
  two.run([] {
    const auto recorded = [](unsigned loops) {
      const sennit::schedule each = sennit::block_distribution(2, 2, loops, 1);
      return bytes_of([&] {
        const sennit::schedule seen = sennit::record(each, sennit::strict_unordered, [=] { phases(loops); });
        EXPECT_EQ(seen.steals(), loops);
      });
    };
    (void)recorded(100);
    EXPECT_LT(recorded(8'000), 8 * recorded(2'000));
  });
}

TEST(LongRegion, NotesWhatFollowsABranchOnce) {
  // Catches: a list that is copied by each strand that waits for another one.
  sennit::runtime two({.workers = 2});
  two.run([] {
    const auto designed = [](unsigned depth) {
      return bytes_of([&] { EXPECT_EQ(sennit::design([=] { chain(depth); }).steals(), depth); });
    };
    (void)designed(10);
    EXPECT_LT(designed(400), 8 * designed(100));
  });
}

TEST(LongRegion, IsReplayedWithoutNotes) {
  // Catches: a replay that notes what nobody asked for.
  sennit::runtime two({.workers = 2});
  two.run([] {
    constexpr unsigned loops = 4'000;
    const sennit::schedule each = sennit::block_distribution(2, 2, loops, 1);
    const auto bytes = [&](auto&& run) { return bytes_of([&] { run([] { phases(loops); }); }); };
    const std::size_t recorded =
        bytes([&](auto&& body) { (void)sennit::record(each, sennit::strict_unordered, body); });
    const std::size_t replayed =
        bytes([&](auto&& body) { sennit::replay(each, sennit::strict_unordered, body); });
    EXPECT_LT(replayed + loops * 200, recorded);
  });
}

TEST(LongRegion, IsFollowedAgainWithoutANewPlan) {
  // Catches: a refinement that makes what its phases follow of its schedule anew for each phase.
  sennit::runtime two({.workers = 2});
  two.run([] {
    constexpr unsigned loops = 1'000;
    sennit::refinement settled(sennit::block_distribution(2, 2, loops, 1),
                               {.most_rounds = 0, .settled = sennit::strict_unordered});
    const auto phase = [&] { return bytes_of([&] { settled.run([] {}); }); };
    const std::size_t first = phase();
    EXPECT_GT(first, loops);
    EXPECT_LT(phase(), loops);
  });
}

}  // namespace
