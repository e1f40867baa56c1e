// SPDX-License-Identifier: Apache-2.0
// Pipelines under load: stages whose costs change, long stages, a million items, memory.
#include "../replaced_new.hpp"
#include "support.hpp"

#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>

#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace sennit_test {

std::atomic<std::uint64_t> allocations{0};
void allocating(std::size_t) { allocations.fetch_add(1, std::memory_order_relaxed); }

namespace {

// Catches: an allocation for each item, or for each steal.
TEST(pipeline_load, allocates_nothing_for_an_item) {
  const auto items = static_cast<std::uint64_t>(scaled(1'000'000));
  with_workers([&] {
    std::uint64_t sum = 0;
    const std::uint64_t before = allocations.load();
    sennit::pipeline(numbers(items), sennit::stage([](std::uint64_t i) { return i; }),
                     sennit::stage(sennit::one_at_a_time, [](std::uint64_t i) { return i; }),
                     sennit::stage([](std::uint64_t i) { return i; }),
                     sennit::stage(sennit::ordered, [&](std::uint64_t i) {
                       if (sum == i) ++sum;
                     }));
    EXPECT_EQ(sum, items);
    EXPECT_LE(allocations.load() - before, 1000U);
  });
}

// Catches: workers that take brief items' source from each other, a steal for each item.
TEST(pipeline_load, is_not_stolen_item_by_item) {
  constexpr std::uint64_t items = 100'000;
  under(settings({2, 8}), [&](sennit::runtime& rt) {
    const std::uint64_t before = rt.statistics().steals;
    std::uint64_t done = 0;
    rt.run([&] {
      sennit::pipeline(numbers(items), sennit::stage([](std::uint64_t i) { return i; }),
                       sennit::stage(sennit::one_at_a_time, [](std::uint64_t i) { return i; }),
                       sennit::stage(sennit::ordered, [&](std::uint64_t) { ++done; }));
    });
    EXPECT_EQ(done, items);
    EXPECT_LE(rt.statistics().steals - before, items / 5);
  });
}

// Catches: a long stage that keeps the source, or items that are ready, from workers that wait.
TEST(pipeline_load, is_not_locked_up_by_a_long_stage) {
  under(settings({2, 8}), [](sennit::runtime& rt) {
    rt.run([] {
      // The first item waits in a stage until a later one has been through all stages.
      beacon later;
      sennit::pipeline({.most_alive = 6}, numbers(100), sennit::stage([&](std::uint64_t i) {
                         if (i == 0) later.await();
                         return i;
                       }),
                       sennit::stage(sennit::one_at_a_time, [](std::uint64_t i) { return i; }),
                       sennit::stage([&](std::uint64_t i) {
                         if (i == 90) later.light();
                       }));
      // An item waits behind the first stage until one that came after it has been there, too.
      beacon next;
      sennit::pipeline({.most_alive = 6}, numbers(100),
                       sennit::stage(sennit::ordered, [](std::uint64_t i) { return i; }),
                       sennit::stage([&](std::uint64_t i) {
                         if (i == 50) next.await();
                         if (i == 51) next.light();
                       }));
    });
  });
}

// Catches: a worker that waits for a stage in which another works.
TEST(pipeline_load, goes_on_while_a_stage_is_busy) {
  under(settings({2, 8}), [](sennit::runtime& rt) {
    rt.run([] {
      // The stage that does one at a time is held until all other items have been through the one before it.
      beacon all;
      std::atomic<int> through{0};
      sennit::pipeline({.most_alive = 10}, numbers(10), sennit::stage([&](std::uint64_t i) {
                         if (through.fetch_add(1) == 9) all.light();
                         return i;
                       }),
                       sennit::stage(sennit::one_at_a_time, [&](std::uint64_t) { all.await(); }));
    });
  });
}

void run_random(std::uint32_t seed) {
  std::mt19937 random(seed);
  const std::uint64_t items = random() % 400;
  const std::size_t most = 1 + random() % 20;
  const unsigned costs = random() % 4;
  const unsigned drops = random() % 3 == 0 ? 5 : 1000000;
  const auto work = [&](std::uint64_t i, unsigned stage) {
    const std::uint64_t mixed = (i * 0x9E3779B97F4A7C15U + stage * 0x85EBCA6BU + seed) >> 40;
    if (costs > 0 && mixed % 16 == 0) spend(static_cast<int>(mixed % (10 * costs)));
    if (costs > 1 && mixed % 37 == 0) sennit::join([] { spend(3); }, [] { spend(5); });
    if (costs > 2 && mixed % 97 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  };
  std::uint64_t in_first = 0;
  std::uint64_t in_second = 0;
  std::vector<std::uint64_t> out;
  headcount underway;
  std::uint64_t asked = 0;
  sennit::pipeline({.most_alive = most}, sennit::source([&]() -> std::optional<std::uint64_t> {
                     if (asked == items) return std::nullopt;
                     underway.come();
                     work(asked, 0);
                     return asked++;
                   }),
                   sennit::stage([&](std::uint64_t i) {
                     work(i, 1);
                     return i;
                   }),
                   sennit::stage(sennit::one_at_a_time,
                                 [&](std::uint64_t i) -> std::optional<std::uint64_t> {
                                   work(i, 2);
                                   ++in_first;
                                   if (i % drops != drops - 1) return i;
                                   underway.go();
                                   return std::nullopt;
                                 }),
                   sennit::stage(sennit::ordered,
                                 [&](std::uint64_t i) {
                                   work(i, 3);
                                   ++in_second;
                                   return i;
                                 }),
                   sennit::stage([&](std::uint64_t i) {
                     work(i, 4);
                     return i;
                   }),
                   sennit::stage(sennit::ordered, [&](std::uint64_t i) {
                     out.push_back(i);
                     underway.go();
                   }));
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < items; ++i) {
    if (i % drops != drops - 1) expected.push_back(i);
  }
  ASSERT_EQ(out, expected) << "seed " << seed;
  ASSERT_EQ(in_first, items) << "seed " << seed;
  ASSERT_EQ(in_second, expected.size()) << "seed " << seed;
  ASSERT_LE(underway.most(), static_cast<int>(most)) << "seed " << seed;
}

// Catches: an item that is lost, done twice, or out of its order, in a schedule that only some costs bring about.
TEST(pipeline_load, runs_random_pipelines) {
  with_workers([] {
    for (std::uint32_t seed = 0; seed < static_cast<std::uint32_t>(scaled(100)); ++seed) run_random(seed);
  });
}

// Catches: strands of one pipeline that end in another.
TEST(pipeline_load, runs_pipelines_beside_and_inside_one_another) {
  with_workers([] {
    sennit::parallel_for(0, 20, [](int k) {
      if (k % 2 == 0) {
        run_random(1000U + static_cast<std::uint32_t>(k));
      } else {
        sennit::pipeline(numbers(3), sennit::stage([&](std::uint64_t i) {
                           run_random(2000U + static_cast<std::uint32_t>(k) + static_cast<std::uint32_t>(i));
                         }));
      }
    });
  });
}

}  // namespace
}  // namespace sennit_test
