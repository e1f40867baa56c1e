// SPDX-License-Identifier: Apache-2.0
// record, replay, design, refine and distributions, as a program uses them.
#include "../core/support.hpp"
#include "programs.hpp"
#include "trees.hpp"

#include <sennit/distribution.hpp>
#include <sennit/refine.hpp>
#include <sennit/replay.hpp>
#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using sennit_test::answer;
using sennit_test::beacon;
using sennit_test::diary;
using sennit_test::in_parallel;
using sennit_test::mixed;
using sennit_test::parallel_settings;
using sennit_test::scaled;
using sennit_test::settings;
using sennit_test::stored;
using sennit_test::under;
using sennit_test::unfold;
using sennit_test::work_for;
using testing::HasSubstr;

TEST(Replay, ThatIsNotRecordedRunsWhereTheRecordedOneRan) {
  // Catches: parts of loops that are cut otherwise because nobody wants to know, although something is planned in them.
  std::size_t steals = 0;
  under(settings({2, 4}), [&](sennit::runtime& rt) {
    rt.run([&] {
      constexpr int most_rounds = 500;
      for (int round = 0; round < scaled(10) || (steals <= 5 && round < most_rounds); ++round) {
        constexpr int rows = 600;
        constexpr int columns = 40;
        std::vector<unsigned> by(std::size_t{rows} * columns);
        const unsigned first = sennit::worker_index();
        const auto program = [&] {
          sennit::parallel_for(rows, [&](int i) {
            const auto body = [&, i](int j) {
              if (j == 0) work_for(std::chrono::microseconds(mixed(std::uint64_t(i)) % 8));
              by[std::size_t(i) * columns + std::size_t(j)] = sennit::worker_index() - first;
            };
            if (i % 50 == 0)
              sennit::parallel_for(columns, body, sennit::grain(1));
            else
              for (int j = 0; j < columns; ++j) body(j);
          });
        };
        const sennit::schedule recorded = sennit::record(program);
        steals += recorded.steals();
        const std::vector<unsigned> before = by;
        sennit::replay(recorded, sennit::strict_unordered, program);
        ASSERT_EQ(by, before) << "round " << round;
      }
    });
  });
  EXPECT_GT(steals, 5U);
}

TEST(Record, OutsideAnyRuntime) {
  // Catches: a region that is not made, or in which nothing is observed.
  int value = 0;
  const sennit::schedule s = sennit::record([&] {
    auto [a, b] = sennit::join([] { return 1; }, [] { return 2; });
    value = a + b;
  });
  EXPECT_EQ(value, 3);
  EXPECT_EQ(s.workers(), sennit::worker_count());
  EXPECT_EQ(sennit::replay(s, sennit::strict_ordered, [] { return 7; }), 7);
}

TEST(Record, EndsWithAnException) {
  // Catches: a trace cursor that outlives its region, notes that leak.
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    rt.run([] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_THROW((void)sennit::record([] {
                       sennit::join([] { work_for(std::chrono::microseconds(20)); },
                                    [] {
                                      sennit::join([] { work_for(std::chrono::microseconds(20)); },
                                                   []() -> void { throw std::runtime_error("right"); });
                                    });
                     }),
                     std::runtime_error);
      }
      const auto [a, b] = sennit::join([] { return 1; }, [] { return 2; });
      EXPECT_EQ(a + b, 3);
    });
  });
}

TEST(Record, OfACancelledRegion) {
  // Catches: strands that are told of their trace cursor's end twice, or never, where branches are dropped.
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    rt.run([] {
      for (int i = 0; i < 20; ++i) {
        const sennit::schedule s = sennit::record([] {
          sennit::region r;
          EXPECT_FALSE(r.run([&] {
            sennit::parallel_for(
                0, 64,
                [&](int k) {
                  work_for(std::chrono::microseconds(2));
                  if (k == 5) r.cancel();
                },
                sennit::grain(1));
            sennit::join([] {}, [] {});
          }));
        });
        std::atomic<int> sum{0};
        sennit::replay(s, sennit::relaxed,
                       [&] { sennit::parallel_for(0, 64, [&](int) { ++sum; }, sennit::grain(1)); });
        EXPECT_EQ(sum, 64);
      }
    });
  });
}

TEST(Record, WithinARecordedRegion) {
  // Catches: an inner region whose constructs are counted in the outer one, or whose end ends the outer
  // trace cursor.
  under(settings({2, 4}), [](sennit::runtime& rt) {
    rt.run([] {
      for (int i = 0; i < 20; ++i) {
        sennit::schedule inner;
        const auto program = [&] {
          sennit::join(
              [&] {
                inner = sennit::record([] {
                  sennit::parallel_for(
                      0, 32, [](int) { work_for(std::chrono::microseconds(5)); }, sennit::grain(1));
                });
              },
              [] { work_for(std::chrono::microseconds(50)); });
          sennit::join([] { work_for(std::chrono::microseconds(20)); },
                       [] { work_for(std::chrono::microseconds(20)); });
        };
        const sennit::schedule outer = sennit::record(program);
        EXPECT_LE(outer.steals(), 2U);
        sennit::replay(outer, sennit::strict_unordered, program);
      }
    });
  });
}

TEST(Record, IsStoredPrunedAndReplayed) {
  // Catches: a recording that load() refuses, and a pruning that leaves events or waits which never come.
  std::size_t steals = 0;
  under(settings({2, 4}), [&](sennit::runtime& rt) {
    for (int i = 0; i < scaled(8); ++i) {
      const auto seed = static_cast<std::uint64_t>(i);
      const auto program = [seed] {
        diary ran;
        in_parallel constructs{ran};
        return unfold(constructs, seed, 7);
      };
      rt.run([&] {
        const sennit::schedule recorded = stored(sennit::record(program));
        steals += recorded.steals();
        for (const double percent : {50, 85, 100}) {
          const sennit::schedule pruned = stored(recorded.prune(percent));
          for (const auto how : {sennit::relaxed, sennit::strict_unordered, sennit::strict_ordered}) {
            ASSERT_EQ(sennit::replay(pruned, how, program), answer(seed, 7)) << "seed " << seed;
          }
        }
      });
    }
  });
  EXPECT_GT(steals, 10U);
}

TEST(Design, PutsBranchesWhereItSays) {
  // Catches: a designation that is for another construct, or a worker that is robbed.
  under(parallel_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      const unsigned first = sennit::worker_index();
      const unsigned workers = sennit::worker_count();
      for (int round = 0; round < 20; ++round) {
        std::vector<unsigned> ran_on(4);
        const auto leaf = [&](unsigned i) {
          work_for(std::chrono::microseconds(5));
          ran_on[i] = (sennit::worker_index() + workers - first) % workers;
        };
        const auto program = [&] {
          sennit::designate(2 % workers);
          sennit::join(
              [&] {
                sennit::designate(1);
                sennit::join([&] { leaf(0); }, [&] { leaf(1); });
              },
              [&] {
                sennit::designate(3 % workers);
                sennit::join([&] { leaf(2); }, [&] { leaf(3); });
              });
        };
        if (workers < 4) break;
        const sennit::schedule s = sennit::design(program);
        EXPECT_THAT(ran_on, testing::ElementsAre(0, 1, 2, 3));
        EXPECT_EQ(s.steals(), 3U);
        ran_on.assign(4, 9);
        sennit::replay(s, sennit::strict_unordered, program);
        EXPECT_THAT(ran_on, testing::ElementsAre(0, 1, 2, 3));
      }
    });
  });
}

TEST(Design, RefusesAnInnerBranchAlone) {
  // Catches: a steal tree that no thief could have made.
  sennit::runtime two({.workers = 2});
  try {
    (void)two.run([] {
      return sennit::design([] {
        sennit::join(
            [] {
              sennit::designate(1);
              sennit::join([] {}, [] {});
            },
            [] {});
      });
    });
    FAIL() << "it was taken";
  } catch (const std::logic_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("designate a worker for that one, too"));
  }
}

TEST(Distribution, OfALoop) {
  // Catches: leaves that are cut otherwise than the loop is; blocks that go to others.
  under(settings({2, 4}), [](sennit::runtime& rt) {
    rt.run([] {
      const unsigned first = sennit::worker_index();
      const unsigned workers = sennit::worker_count();
      for (const std::size_t n : {7U, 256U, 1000U, 4096U}) {
        for (const bool cyclic : {false, true}) {
          const auto owner = [&](std::size_t i) {
            return static_cast<unsigned>(cyclic ? i / 3 % workers : i * workers / n);
          };
          const sennit::schedule s = cyclic ? sennit::cyclic_distribution(n, workers, 3, 2, 1)
                                            : sennit::block_distribution(n, workers, 2, 1);
          std::vector<unsigned> ran_on(n);
          sennit::replay(s, sennit::strict_unordered, [&] {
            for (int phase = 0; phase < 2; ++phase) {
              std::fill(ran_on.begin(), ran_on.end(), 99);
              sennit::parallel_for(
                  std::size_t{0}, n,
                  [&](std::size_t i) { ran_on[i] = (sennit::worker_index() + workers - first) % workers; },
                  sennit::grain(1));
            }
          });
          for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(ran_on[i], owner(i)) << i << " of " << n << (cyclic ? " cyclic" : "");
        }
      }
    });
  });
}

TEST(Distribution, IsStored) {
  // Catches: events without an order, which load() refuses.
  for (const std::uint64_t n : {0U, 1U, 7U, 1000U, 100'000U}) {
    for (const unsigned workers : {1U, 2U, 5U}) {
      stored(sennit::block_distribution(n, workers, 3));
      stored(sennit::cyclic_distribution(n, workers, 3, 2, 1));
      stored(sennit::block_distribution_2d(n, 10, workers, 2));
    }
  }
  for (const unsigned worker : {1U << 16, ~0U}) {
    EXPECT_THROW(sennit::distribution(9, [=](std::uint64_t) { return worker; }), std::invalid_argument);
  }
  stored(sennit::distribution(9, [](std::uint64_t) { return (1U << 16) - 1; }));
}

TEST(Replay, OfSimilarLoopsKeepsIterationsToTheirWorkers) {
  // Catches: a loop whose cuts depend on its time; a phase that meets its data elsewhere.
  under(settings({2, 4}), [](sennit::runtime& rt) {
    rt.run([] {
      constexpr std::size_t n = 10'000;
      std::vector<unsigned> before(n);
      std::vector<unsigned> after(n);
      const auto phase = [&](std::vector<unsigned>& ran_on, int ns) {
        return [&ran_on, ns] {
          sennit::parallel_for(std::size_t{0}, n, [&ran_on, ns](std::size_t i) {
            work_for(std::chrono::nanoseconds(ns));
            ran_on[i] = sennit::worker_index();
          });
        };
      };
      const sennit::schedule s = sennit::record(phase(before, 100));
      sennit::replay(s, sennit::strict_unordered, phase(after, 150));
      EXPECT_EQ(before, after);
    });
  });
}

TEST(Replay, StrictLeavesLaterLoopsOfTheRegionToThieves) {
  // Catches: a worker that thieves do not ask any more once its strand has been in a strict region.
  under(settings({2}), [](sennit::runtime& rt) {
    rt.run([] {
      constexpr int n = 64;
      const sennit::schedule halves = sennit::block_distribution(n, 2);
      for (const auto how : {sennit::strict_unordered, sennit::strict_ordered}) {
        for (int round = 0; round < scaled(20); ++round) {
          sennit::replay(halves, how, [] {
            sennit::parallel_for(0, n, [](int) { work_for(std::chrono::microseconds(20)); });
          });
          beacon shared;
          sennit::parallel_for(0, n, [&, owner = sennit::worker_index()](int) {
            if (sennit::worker_index() == owner) {
              shared.await();
            } else {
              shared.light();
            }
          });
        }
      }
    });
  });
}

TEST(Replay, RelaxedWakesASleeperForWhatABusyWorkerWasGiven) {
  // Catches: a donation that waits for its worker while others sleep.
  under(settings({3}), [](sennit::runtime& rt) {
    rt.run([] {
      const auto program = [](auto&& inner, auto&& first) {
        sennit::designate(1);
        sennit::join(
            [&] {
              sennit::designate(1);
              sennit::join([&] { inner(0); }, [&] { inner(1); });
            },
            first);
      };
      const sennit::schedule s = sennit::design([&] { program([](int) {}, [] {}); });
      ASSERT_EQ(s.steals(), 2U);
      beacon busy;
      beacon done;
      sennit::replay(s, sennit::relaxed, [&] {
        program(
            [&](int branch) {
              if (branch == 1) return done.light();
              busy.await();
              // Long enough for the third worker to have gone to sleep again.
              std::this_thread::sleep_for(std::chrono::milliseconds(20));
              done.await();
            },
            [&] {
              busy.light();
              done.await();
            });
      });
    });
  });
}

TEST(Replay, StrictDonationToAPlaceThatItsGuestHasLeft) {
  // Catches: a branch for a worker that no thread stands for any more, and that nobody else may take.
  under(settings({2}), [](sennit::runtime& rt) {
    for (int round = 0; round < 5; ++round) {
      beacon inside;
      beacon left;
      std::thread second;
      rt.run([&] {
        second = std::thread([&] {
          rt.run([&] {
            inside.light();
            left.await();
            // To the runtime's own thread, next to whose number comes that of the guest who has left.
            sennit_test::suspend(rt);
            sennit::replay(sennit::block_distribution(256, 2), sennit::strict_unordered, [] {
              sennit::parallel_for(
                  0, 256, [](int) { work_for(std::chrono::microseconds(1)); }, sennit::grain(1));
            });
          });
        });
        inside.await();
      });
      left.light();
      second.join();
    }
  });
}

}  // namespace
