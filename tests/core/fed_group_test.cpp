// SPDX-License-Identifier: Apache-2.0
// Groups that are fed from everywhere in their region: by children, in branches and loops.
#include "random_program.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using sennit::task_group;

// The serial order, with what is thrown kept for wait().
struct in_series : sennit::serial {
  class task_group {
   public:
    template <class F>
    void spawn(F f) {
      try {
        f();
      } catch (...) {
        if (!first_) first_ = std::current_exception();
      }
    }
    void wait() {
      if (const std::exception_ptr first = std::exchange(first_, nullptr)) std::rethrow_exception(first);
    }

   private:
    std::exception_ptr first_;
  };
};

struct feeding {
  sennit::reducer<std::vector<std::uint64_t>, appending> visited;
  bool throws = false;
};

// What feeds the group is unfolded from a seed. Only children throw.
template <class P>
class feeder {
 public:
  feeder(feeding& w, typename P::task_group& group) : world_(w), group_(group) {}

  void feed(std::uint64_t seed, int depth) {
    const std::uint64_t draw = mixed(seed);
    world_.visited->push_back(draw);
    if (depth <= 0) return;
    switch ((draw >> 8) % 6) {
      case 0: P::join([&] { feed(draw + 1, depth - 1); }, [&] { feed(draw + 2, depth - 1); }); break;
      case 1:
        P::parallel_for(std::uint64_t{0}, (draw >> 16) % 9,
                        [&](std::uint64_t i) { feed(draw + i, depth - 2); });
        break;
      case 2: nest(draw, depth); break;
      default:
        for (std::uint64_t i = 0; i < 1 + (draw >> 16) % 4; ++i) {
          group_.spawn([this, draw, i, depth, held = tracked(1)] {
            feed(draw + i, depth - 1);
            if (world_.throws && mixed(draw + i) % 8 == 0) throw failure{draw + i};
          });
          if ((draw >> (20 + i)) % 4 == 0) world_.visited->push_back(i);
          if ((draw >> (30 + i)) % 64 == 0) std::this_thread::yield();
        }
    }
    world_.visited->push_back(draw + 1);
  }

 private:
  // A group within, whose children feed this one.
  void nest(std::uint64_t draw, int depth) {
    typename P::task_group inner;
    for (std::uint64_t i = 0; i < 3; ++i) inner.spawn([this, draw, i, depth] { feed(draw + i, depth - 1); });
    feed(draw + 3, depth - 1);
    inner.wait();
  }

  feeding& world_;
  typename P::task_group& group_;
};

template <class P>
struct fed {
  std::vector<std::uint64_t> visited;
  std::uint64_t thrown = 0;

  explicit fed(std::uint64_t seed, bool throws, typename P::task_group& group) {
    feeding world;
    world.throws = throws;
    feeder<P> f(world, group);
    for (std::uint64_t round = 0; round < 2; ++round) {
      f.feed(seed + round, 6);
      try {
        group.wait();
      } catch (const failure& failed) {
        thrown = folded(thrown, failed.position);
      }
    }
    if (!throws) visited = world.visited.value();
  }
};

// Catches: children that are lost or run twice; another order of what they add, or another exception, than in the serial
// program: by depth first, in the order of spawning.
TEST(FedGroup, IsItsSerialElision) {
  under(all_settings(), [](sennit::runtime& rt) {
    for (int i = 0; i < scaled(20); ++i) {
      const auto seed = static_cast<std::uint64_t>(i) * 1000;
      for (const bool throws : {false, true}) {
        in_series::task_group serial;
        const fed<in_series> expected(seed, throws, serial);
        rt.run([&] {
          task_group near;
          std::vector<task_group> far(1);
          for (task_group* const group : {&near, far.data()}) {
            const fed<sennit::parallel> got(seed, throws, *group);
            ASSERT_EQ(got.thrown, expected.thrown)
                << "seed " << seed << (group == &near ? "" : ", on the heap");
            ASSERT_EQ(got.visited, expected.visited)
                << "seed " << seed << (group == &near ? "" : ", on the heap");
          }
        });
        ASSERT_EQ(tracked::live(), 0);
      }
    }
  });
}

// Catches: what a strand has added since it fed one group, put before the children that it fed to that group, as it waits for
// another one that it has made and fed meanwhile.
TEST(FedGroup, InAnother) {
  under(settings({1, 2}), [](sennit::runtime& rt) {
    for (int round = 0; round < 20; ++round) {
      sennit::reducer<std::vector<std::uint64_t>, appending> visited;
      rt.run([&] {
        task_group outer;
        sennit::join(
            [&] {
              outer.spawn([&] { visited->push_back(0); });
              visited->push_back(1);
            },
            [&] {
              task_group inner;
              sennit::join(
                  [&] {
                    inner.spawn([&] { visited->push_back(2); });
                    visited->push_back(3);
                  },
                  [&] { visited->push_back(4); });
              inner.wait();
            });
        outer.wait();
      });
      ASSERT_EQ(visited.value(), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
    }
  });
}

using in_order = sennit::reducer<std::vector<int>, appending>;

// Catches: what an earlier branch has added, lost or put behind, where the child that comes next has begun before that was
// known, and leaves nothing itself, or a child of its own.
TEST(FedGroup, OfAChildThatBeginsBeforeWhatComesBeforeIt) {
  for (const bool spawns : {false, true}) {
    sennit::runtime rt({.workers = 3});
    rt.run([&] {
      in_order visited;
      task_group g;
      beacon begun;
      beacon go;
      join_stolen(
          [&] {
            visited->push_back(0);
            begun.await();
          },
          [&] {
            g.spawn([&] {
              begun.light();
              go.await();
              if (spawns) g.spawn([&] { visited->push_back(1); });
            });
          });
      go.light();
      g.wait();
      EXPECT_EQ(visited.value(), (spawns ? std::vector<int>{0, 1} : std::vector<int>{0}));
    });
  }
}

// Catches: what comes before the children of an outer group, put behind them, as a child of the inner one takes in its
// neighbor.
TEST(FedGroup, OfAnInnerGroupWhoseNeighborFeedsTheOuterOne) {
  sennit::runtime rt({.workers = 4});
  for (int round = 0; round < 3; ++round) {
    rt.run([&] {
      in_order visited;
      task_group outer;
      {
        task_group inner;
        beacon ended;
        beacon go;
        join_stolen(
            [&] {
              visited->push_back(0);
              go.await();
            },
            [&] {
              inner.spawn([&] {
                outer.spawn([&] { visited->push_back(1); });
                ended.light();
              });
              inner.spawn([&] {
                ended.await();
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                visited->push_back(2);
              });
              std::this_thread::sleep_for(std::chrono::milliseconds(60));
              go.light();
            });
        inner.wait();
      }
      outer.wait();
      ASSERT_EQ(visited.value(), (std::vector<int>{0, 1, 2}));
    });
  }
}

// Catches: what a child has added, lost where the strand has spawned another group's child meanwhile, which keeps it.
TEST(FedGroup, BesideAnotherOneOfTheStrand) {
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    rt.run([] {
      sennit::reducer<long> sum;
      task_group g;
      task_group h;
      sennit::join([&] { h.spawn([&] { *sum += 1; }); }, [] {});
      h.spawn([&] {
        g.spawn([&] { *sum += 10; });
        h.spawn([&] { *sum += 100; });
        g.spawn([&] { *sum += 1000; });
      });
      h.wait();
      g.wait();
      EXPECT_EQ(sum.value(), 1111);
    });
  });
}

// Catches: a thread that sleeps in wait() while only it could run what children have spawned.
TEST(FedGroup, WakesAThreadThatWaitsForChildrenOfChildren) {
  sennit::runtime rt({.workers = 1});
  rt.run([&] {
    task_group g;
    sennit::blocking([&] {
      std::thread([&] {
        beacon begun;
        beacon one;
        beacon other;
        g.spawn([&] {
          begun.light();
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          g.spawn([&] {
            one.light();
            other.await();
          });
          g.spawn([&] {
            other.light();
            one.await();
          });
        });
        begun.await();
        g.wait();
      }).join();
    });
    g.wait();
  });
}

// Catches: children of an outside thread that the thread runs itself, as if it ran no strand: what they spawn comes after all else.
TEST(FedGroup, OfALoopOfAnOutsideThreadIsItsSerialElision) {
  for (int round = 0; round < 50; ++round) {
    sennit::reducer<std::vector<int>, appending> visited;
    task_group g;
    sennit::parallel_for(4, [&](int i) {
      g.spawn([&, i] {
        visited->push_back(10 * i);
        g.spawn([&, i] { visited->push_back(10 * i + 1); });
      });
    });
    g.wait();
    ASSERT_EQ(visited.value(), (std::vector<int>{0, 1, 10, 11, 20, 21, 30, 31}));
  }
}

void walk(task_group& g, std::atomic<int>& visited, int depth) {
  ++visited;
  if (depth == 0) return;
  for (int i = 0; i < 4; ++i) g.spawn([&g, &visited, depth] { walk(g, visited, depth - 1); });
}

// Catches: a wait that ends before the children of children.
TEST(FedGroup, OfAWalk) {
  under(all_settings(), [](sennit::runtime& rt) {
    std::atomic<int> visited{0};
    rt.run([&] {
      task_group g;
      walk(g, visited, 6);
      g.wait();
      EXPECT_EQ(visited, 5461);
      g.wait();
      EXPECT_EQ(visited, 5461);
    });
  });
}

// Catches: links of a chain that are called, one within the other, until the stack is full.
TEST(FedGroup, OfAChainThatStarvesNobody) {
  under(settings({1, 2}), [](sennit::runtime& rt) {
    std::atomic<int> links{0};
    rt.run([&] {
      task_group g;
      const std::function<void(int)> link = [&](int n) {
        ++links;
        for (int i = 0; i < 2 && n > 0; ++i) {
          if (i == 0) g.spawn([] {});
          if (i == 1) g.spawn([&link, n] { link(n - 1); });
        }
      };
      link(scaled(100000));
      g.wait();
    });
    EXPECT_EQ(links, scaled(100000) + 1);
  });
}

// Catches: an exception that stays in the group, children that are spawned after one and never run afterwards.
TEST(FedGroup, IsOfUseAfterAnException) {
  under(all_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      std::vector<task_group> groups(1);
      task_group near;
      for (task_group* const g : {&near, groups.data()}) {
        for (int i = 0; i < 1000; ++i) {
          g->spawn([i] {
            if (i % 300 == 7) throw failure{static_cast<std::uint64_t>(i)};
          });
        }
        try {
          g->wait();
          ADD_FAILURE() << "nothing was thrown";
        } catch (const failure& f) {
          EXPECT_EQ(f.position, 7U);
        }
        g->wait();
        std::atomic<int> ran{0};
        for (int i = 0; i < 1000; ++i) g->spawn([&] { ++ran; });
        g->wait();
        EXPECT_EQ(ran, 1000);
      }
    });
  });
}

// Catches: cancellation that a child called at once, or one that another strand spawned, does not know of.
TEST(FedGroup, OfACancelledRegion) {
  under(all_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      std::atomic<int> late{0};
      sennit::region r;
      const std::optional<int> ended = r.run([&] {
        std::vector<task_group> groups(2);
        for (task_group& g : groups) {
          for (int i = 0; i < 300; ++i) {
            g.spawn([&g, &r, &late] {
              r.cancel();
              g.spawn([&] { ++late; });
            });
          }
        }
        for (task_group& g : groups) g.wait();
        return 1;
      });
      EXPECT_FALSE(ended);
      EXPECT_EQ(late, 0);
    });
  });
}

// Catches: groups that must end in the order they were made in, or on the stack.
TEST(FedGroup, LivesAnywhere) {
  under(all_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      std::atomic<int> ran{0};
      struct owner {
        task_group group;
      };
      auto first = std::make_unique<owner>();
      std::optional<task_group> second(std::in_place);
      auto third = std::make_unique<task_group>();
      std::vector<task_group> more(3);
      for (int i = 0; i < 50; ++i) {
        first->group.spawn([&] { ++ran; });
        second->spawn([&] { ++ran; });
        sennit::join([&] { third->spawn([&] { ++ran; }); }, [&] { more[1].spawn([&] { ++ran; }); });
        more[2].spawn([&] { ++ran; });
      }
      first.reset();
      third.reset();
      more.clear();
      second.reset();
      EXPECT_EQ(ran, 250);
    });
  });
}

// Catches: a deque that a group takes for its own in a branch, as it was made in another one.
TEST(FedGroup, MadeInABranch) {
  under(settings({1, 2, 3}), [](sennit::runtime& rt) {
    rt.run([] {
      for (int i = 0; i < 100; ++i) {
        std::unique_ptr<task_group> g;
        std::atomic<int> ran{0};
        sennit::join([&] { g = std::make_unique<task_group>(); }, [&] { ++ran; });
        sennit::join([&] { g->spawn([&] { ++ran; }); }, [&] { ++ran; });
        g->wait();
        EXPECT_EQ(ran, 3);
      }
    });
  });
}

// Catches: what is no use to go on with: hangs, and frames that are left behind for other strands to find.
TEST(FedGroupDeathTest, SaysWhatIsWrong) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto on = [](unsigned workers, auto&& f) {
    sennit::runtime rt({.workers = workers});
    rt.run(f);
  };
  EXPECT_DEATH(on(1,
                  [] {
                    auto* const g = new task_group;
                    g->spawn([] {});
                  }),
               "sennit: .*still open");
  EXPECT_DEATH(on(1,
                  [] {
                    task_group g;
                    sennit::region().run([&] { g.spawn([] {}); });
                  }),
               "sennit: .*still open");
  EXPECT_DEATH(on(1,
                  [] {
                    std::vector<task_group> g(1);
                    sennit::region().run([&] { g[0].spawn([] {}); });
                  }),
               "sennit: .*still open");
  EXPECT_DEATH(on(2,
                  [] {
                    task_group g;
                    g.spawn([&] { g.wait(); });
                    g.wait();
                  }),
               "sennit: .*(waits for the group|by another strand)");
  EXPECT_DEATH(on(2,
                  [] {
                    task_group g;
                    g.spawn([] {});
                    std::thread([&] { g.wait(); }).join();
                  }),
               "sennit: .*by another strand");
  EXPECT_DEATH(on(3,
                  [] {
                    task_group* g = nullptr;
                    alignas(task_group) std::byte place[sizeof(task_group)];
                    beacon made;
                    beacon ended;
                    join_stolen(
                        [&] {
                          g = ::new (place) task_group;
                          g->spawn([] {});
                          made.light();
                          ended.await();
                        },
                        [&] {
                          made.await();
                          std::destroy_at(g);
                          ended.light();
                        });
                  }),
               "sennit: .*by another strand");
}

// Catches: observed regions in which what is spawned off the deque is counted where it was not when they were recorded.
TEST(FedGroup, InObservedRegions) {
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    rt.run([] {
      for (int i = 0; i < scaled(20); ++i) {
        const auto seed = static_cast<std::uint64_t>(i) * 1000;
        in_series::task_group serial;
        const fed<in_series> expected(seed, false, serial);
        const auto run = [&] {
          task_group g;
          const fed<sennit::parallel> got(seed, false, g);
          // In what order, where a strand feeds a group around another one that is open, is not promised there.
          EXPECT_TRUE(std::is_permutation(got.visited.begin(), got.visited.end(), expected.visited.begin(),
                                          expected.visited.end()))
              << "seed " << seed;
        };
        const sennit::schedule s = sennit::record(run);
        for (const auto how : {sennit::relaxed, sennit::strict_unordered, sennit::strict_ordered})
          sennit::replay(s, how, run);
      }
    });
  });
}

}  // namespace
}  // namespace sennit_test
