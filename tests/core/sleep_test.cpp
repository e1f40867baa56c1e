// SPDX-License-Identifier: Apache-2.0
// Waking many, sharing barriers, and giving back stacks: by counts.
// clang-format off: the core's names hide some of the library's from its later headers.
#include "support.hpp"

#include "runtime/runtime.hpp"
#include "system/barrier.hpp"
#include "worker/runtime_core.hpp"
#include "worker/searching_set.hpp"
// clang-format on

#include <functional>

namespace sennit_test {
namespace {

using sennit::detail::barriers;
using sennit::detail::runtime_core;

runtime_core& core_of(sennit::runtime& rt) { return sennit::detail::core_of(&rt); }

void await_all_asleep(sennit::runtime& rt) {
  await([&] { return core_of(rt).asleep().count() == static_cast<int>(rt.workers()) - 1; },
        "all workers to sleep");
}

template <class F>
void fork_tree(unsigned leaves, const F& leaf) {
  if (leaves == 1) return leaf();
  sennit::join([&] { fork_tree(leaves / 2, leaf); }, [&] { fork_tree(leaves - leaves / 2, leaf); });
}

// All workers are in the region at once, one leaf each.
void need_all(sennit::runtime& rt) {
  std::atomic<unsigned> present{0};
  rt.run([&] {
    fork_tree(rt.workers(), [&] {
      ++present;
      await([&] { return present == rt.workers(); }, "a worker for each leaf");
    });
  });
}

// Catches workers that are woken one after the other, each behind a barrier.
TEST(sleep, many_are_woken_as_a_tree) {
  under(settings({32, 64}), [](sennit::runtime& rt) {
    await_all_asleep(rt);
    const auto before = rt.statistics();
    need_all(rt);
    const auto after = rt.statistics();
    EXPECT_LE(core_of(rt).asleep().deepest(), rt.workers() / 2);
    // A leaf's owner does not answer who asks it: a barrier gets at what it has. Nobody needs another one to be woken.
    EXPECT_LE(after.barriers - before.barriers, 2 * rt.workers());
    if (rt.barrier() == sennit::steal_barrier::fence) {
      EXPECT_EQ(after.barriers, 0U);
    }
    EXPECT_LE(after.interrupts - before.interrupts, (after.barriers - before.barriers) * (rt.workers() - 1));
  });
}

// Catches a wake for each fork that is over before anybody could come for it.
TEST(sleep, short_forks_wake_hardly_anybody) {
  under(settings({2, 8}), [](sennit::runtime& rt) {
    await_all_asleep(rt);
    const auto before = rt.statistics();
    rt.run([&] {
      for (int i = 0; i < scaled(20'000'000); ++i) sennit::join([] {}, [] {});
    });
    const auto after = rt.statistics();
    // Who finds something wakes two others, and may be the only one who does. A strand that loses its CPU in the middle of a
    // fork lasts.
    EXPECT_LE(after.vain_wakes - before.vain_wakes, 200 + 2 * (after.steals - before.steals));
  });
}

// Catches barriers that run one after the other for thieves that all wait: each but the first would find its own done.
TEST(sleep, one_barrier_serves_all_who_wait) {
  if (SENNIT_TSAN || !sennit::detail::membarrier_available()) GTEST_SKIP() << "there are no barriers here";
  barriers shared;
  constexpr int threads = 8;
  std::atomic<int> have_tickets{0};
  std::vector<std::thread> all;
  barriers::hold_for_fork();  // nobody's barrier begins
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&] {
      const barriers::ticket mine = shared.now();
      ++have_tickets;
      shared.settle(mine);
    });
  }
  await([&] { return have_tickets == threads; }, "all threads to have a ticket");
  barriers::let_go_after_fork();
  for (auto& t : all) t.join();
  EXPECT_EQ(shared.issued(), 1U);
  // A ticket from after it began is not served by it.
  shared.settle(shared.now());
  EXPECT_EQ(shared.issued(), 2U);
  const barriers::ticket old = shared.now();
  shared.settle(old);
  shared.settle(old);
  EXPECT_EQ(shared.issued(), 3U);
}

// Catches stacks that are kept for ever, also where nothing more happens in the process.
TEST(sleep, stacks_are_given_back) {
  for (const unsigned workers : {1U, 8U}) {
    sennit::runtime rt({.workers = workers});
    // Strands that wait inside one another, each on a stack of its own.
    const std::function<void(int)> nest = [&](int depth) {
      if (depth == 0) return;
      sennit::task_group group;
      for (int i = 0; i < 3; ++i) group.spawn([&, depth] { nest(depth - 1); });
      sennit::join([] {}, [] { std::this_thread::yield(); });
      group.wait();
    };
    rt.run([&] { nest(5); });
    std::vector<std::thread> guests;
    std::atomic<int> in{0};
    for (int i = 0; i < 8; ++i) {
      guests.emplace_back([&] {
        rt.run([&] {
          ++in;
          await([&] { return in == 8; }, "all guests");
        });
      });
    }
    for (auto& g : guests) g.join();
    EXPECT_GE(rt.statistics().fibers, 8U);
    await([&] { return rt.statistics().stacks <= 2 * rt.workers(); }, "no more than two stacks a worker");
    // And it works as before.
    rt.run([&] { nest(3); });
  }
}

// Catches phases that follow each other and make their stacks anew.
TEST(sleep, stacks_are_kept_between_phases) {
  sennit::runtime rt({.workers = 8});
  for (int phase = 0; phase < 3; ++phase) need_all(rt);
  const std::uint64_t before = rt.statistics().fibers;
  constexpr unsigned phases = 20;
  for (unsigned phase = 0; phase < phases; ++phase) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    need_all(rt);
  }
  // Some are given back where the machine is busy and a phase comes late.
  EXPECT_LE(rt.statistics().fibers - before, phases * rt.workers() / 2);
}

// Catches places beyond the first word, an order that is not theirs, and visits that go on though they are to end.
TEST(searching_set, visits_those_behind_a_place_and_around) {
  sennit::detail::searching_set<300> set;
  for (const unsigned place : {0U, 5U, 63U, 64U, 130U, 299U}) set.add(place);
  set.add(131);
  set.remove(131);
  const auto visited = [&](unsigned start, unsigned count, unsigned most) {
    std::vector<unsigned> seen;
    set.each_after(start, count, [&](unsigned place) {
      seen.push_back(place);
      return seen.size() < most;
    });
    return seen;
  };
  using testing::ElementsAre;
  EXPECT_THAT(visited(5, 300, 99), ElementsAre(63, 64, 130, 299, 0));
  EXPECT_THAT(visited(299, 300, 99), ElementsAre(0, 5, 63, 64, 130));
  EXPECT_THAT(visited(1, 131, 99), ElementsAre(5, 63, 64, 130, 0));
  EXPECT_THAT(visited(63, 300, 2), ElementsAre(64, 130));
}

// Catches loops of more than 64 workers of which only 64 get a part.
TEST(sleep, more_than_64_workers_share_a_loop) {
  if (SENNIT_TSAN || SENNIT_ASAN) GTEST_SKIP() << "too many threads for the tool";
  sennit::runtime rt({.workers = 100});
  std::atomic<unsigned> present{0};
  rt.run([&] {
    sennit::parallel_for(
        0, 100,
        [&](int) {
          ++present;
          await([&] { return present == 100; }, "a worker for each iteration");
        },
        sennit::grain(1));
  });
}

}  // namespace
}  // namespace sennit_test
