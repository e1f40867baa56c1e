// SPDX-License-Identifier: Apache-2.0
// Groups whose children are spawned and waited for on both sides of the beginning, or the end, of an observed region.
#include "../core/support.hpp"
#include "programs.hpp"
#include "trees.hpp"

#include <sennit/distribution.hpp>
#include <sennit/replay.hpp>
#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using sennit_test::answer;
using sennit_test::beacon;
using sennit_test::diary;
using sennit_test::in_parallel;
using sennit_test::scaled;
using sennit_test::settings;
using sennit_test::stored;
using sennit_test::under;
using sennit_test::unfold;

// What uninitialized memory on the stack is likely to hold then.
[[gnu::noinline]] void soil_the_stack() {
  volatile unsigned char bytes[1 << 14];
  for (auto& byte : bytes) byte = 0x5a;
}

[[gnu::noinline]] void wait_in_a_replay(const sennit::schedule& s, sennit::fidelity how, int& ran) {
  sennit::task_group children;
  for (int i = 0; i < 2; ++i) children.spawn([&ran] { sennit::join([&] { ++ran; }, [&] { ++ran; }); });
  sennit::replay(s, how, [&] { children.wait(); });
}

TEST(Groups, SpawnedBeforeTheRegionRunInIt) {
  // Catches: a child that the region's trace cursor did not count, and whose place in the plan was never written.
  sennit::runtime one({.workers = 1});
  one.run([] {
    int ran = 0;
    const sennit::schedule s = sennit::block_distribution(256, 2);
    for (const auto how : {sennit::relaxed, sennit::strict_unordered, sennit::strict_ordered}) {
      soil_the_stack();
      wait_in_a_replay(s, how, ran);
    }
    EXPECT_EQ(ran, 12);
  });
}

TEST(Groups, SpawnedBeforeTheRegionAreNoPartOfIt) {
  // Catches: notes of a child that was not counted, as its own or as those of a construct of the region;
  // numbers of events that are nowhere; a strand that such a child has left on another worker.
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    rt.run([] {
      for (int i = 0; i < scaled(10); ++i) {
        const auto seed = static_cast<std::uint64_t>(i);
        const auto around = [&](auto&& observed) {
          sennit::task_group before;
          for (std::uint64_t k = 0; k < 3; ++k) {
            before.spawn([=] {
              diary apart;
              in_parallel constructs{apart};
              EXPECT_EQ(unfold(constructs, seed + k, 4), answer(seed + k, 4));
            });
          }
          diary ran;
          observed([&] {
            in_parallel constructs{ran};
            EXPECT_EQ(unfold(constructs, seed + 7, 4), answer(seed + 7, 4));
            before.wait();
            EXPECT_EQ(unfold(constructs, seed + 8, 4), answer(seed + 8, 4));
          });
          return ran.worker_of_leaf();
        };
        sennit::schedule s;
        const auto first = around([&](auto&& f) { s = stored(sennit::record(f)); });
        const auto again = around([&](auto&& f) { sennit::replay(s, sennit::strict_unordered, f); });
        ASSERT_EQ(again, first) << "seed " << seed;
      }
    });
  });
}

TEST(Groups, SpawnedBeforeTheRegionAndTaken) {
  // Catches: a recording that takes a child without notes for one whose notes were lost.
  sennit::runtime two({.workers = 2});
  two.run([] {
    beacon taken;
    sennit::task_group before;
    before.spawn([&] { taken.light(); });
    const sennit::schedule s = sennit::record([&] {
      taken.await();
      before.wait();
    });
    EXPECT_EQ(s.steals(), 0U);
  });
}

TEST(Groups, OfARecordedRegionInAnother) {
  // Catches: a taken child that is noted in the region that waits for it, and not in its own.
  sennit::runtime two({.workers = 2});
  two.run([] {
    sennit::schedule inner;
    const sennit::schedule outer = sennit::record([&] {
      beacon taken;
      sennit::task_group children;
      children.spawn([&] { taken.light(); });
      inner = sennit::record([&] {
        taken.await();
        children.wait();
      });
    });
    EXPECT_EQ(inner.steals(), 0U);
    EXPECT_EQ(outer.steals(), 1U);
    stored(inner);
    stored(outer);
  });
}

TEST(GroupsDeathTest, SpawnedInTheRegionAreWaitedForInIt) {
  // Catches: children that refer to a region and to an observer that are gone.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto outlive = [](auto&& run) {
    sennit::runtime two({.workers = 2});
    two.run([&] {
      sennit::task_group children;
      run([&] { children.spawn([] {}); });
      children.wait();
    });
  };
  EXPECT_DEATH(outlive([](auto&& f) { (void)sennit::record(f); }), "call the group's wait");
  EXPECT_DEATH(outlive([](auto&& f) {
                 sennit::replay(sennit::block_distribution(9, 2), sennit::strict_unordered, f);
               }),
               "call the group's wait");
  EXPECT_DEATH(outlive([](auto&& f) { (void)sennit::design(f); }), "call the group's wait");
}

}  // namespace
