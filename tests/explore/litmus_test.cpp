// SPDX-License-Identifier: Apache-2.0
// The weak memory, against what the C++ model says of small programs: each is to show all of these outcomes, and no other
// one. In every order, too, and not only in those that the search takes for different.
#include "explorer.hpp"

#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr auto seq_cst = std::memory_order_seq_cst;

struct cells {
  std::atomic<int> x{0}, y{0}, z{0};
  std::mutex lock;
  std::array<int, 4> r{-1, -1, -1, -1};
};
using thread = void (*)(cells&);
using outcome = std::vector<int>;
enum class notes { read, stored };  // what the threads have read, or what is in x and y at the end, too

std::set<outcome> outcomes(const std::vector<thread>& threads, notes what, bool reduces,
                           unsigned spurious_failures = 0) {
  std::set<outcome> seen;
  const explore::findings found = explore::explore(
      [&] {
        auto c = std::make_shared<cells>();
        explore::program p;
        for (const thread each : threads)
          p.threads.emplace_back(std::to_string(p.threads.size()), [each, c = c.get()] { each(*c); });
        p.at_end = [c, what, &seen] {
          outcome all;
          for (const int r : c->r) {
            if (r >= 0) all.push_back(r);
          }
          if (what == notes::stored) {
            all.push_back(c->x.load());
            all.push_back(c->y.load());
          }
          seen.insert(all);
        };
        return p;
      },
      {.model = explore::memory::weak,
       .most_passed = 100,
       .random_orders = 0,
       .reduces = reduces,
       .spurious_failures = spurious_failures});
  EXPECT_EQ(found.fault, "");
  EXPECT_TRUE(found.complete);
  return seen;
}

void expect_outcomes(const std::vector<thread>& threads, const std::set<outcome>& expected,
                     notes what = notes::read) {
  EXPECT_EQ(outcomes(threads, what, true), expected);
  EXPECT_EQ(outcomes(threads, what, false), expected) << "in every order";
}
std::set<outcome> all_of(unsigned bits) {
  std::set<outcome> all;
  for (unsigned i = 0; i < 1U << bits; ++i) {
    outcome one;
    for (unsigned bit = 0; bit < bits; ++bit) one.push_back(static_cast<int>(i >> bit & 1));
    all.insert(one);
  }
  return all;
}
std::set<outcome> all_but(unsigned bits, const outcome& forbidden) {
  std::set<outcome> all = all_of(bits);
  all.erase(forbidden);
  return all;
}

void fence_all() { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

// --- What is passed on.

template <std::memory_order Stored, std::memory_order Loaded>
void message_passing(const std::set<outcome>& expected) {
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     c.y.store(1, Stored);
                   },
                   [](cells& c) {
                     c.r[0] = c.y.load(Loaded);
                     c.r[1] = c.x.load(relaxed);
                   }},
                  expected);
}
// Fault: stores are seen in the order in which they are made, as on x86.
TEST(Litmus, MessagesOvertake) { message_passing<relaxed, relaxed>(all_of(2)); }
TEST(Litmus, OneSideDoesNotPassOn) {
  message_passing<release, relaxed>(all_of(2));
  message_passing<relaxed, acquire>(all_of(2));
}
// Fault: what is published is not seen with it.
TEST(Litmus, AReleaseIsAcquired) {
  message_passing<release, acquire>(all_but(2, {1, 0}));
  message_passing<seq_cst, seq_cst>(all_but(2, {1, 0}));
}

template <std::memory_order Before, std::memory_order After>
void fenced_message_passing(const std::set<outcome>& expected) {
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     std::atomic_thread_fence(Before);
                     c.y.store(1, relaxed);
                   },
                   [](cells& c) {
                     c.r[0] = c.y.load(relaxed);
                     std::atomic_thread_fence(After);
                     c.r[1] = c.x.load(relaxed);
                   }},
                  expected);
}
// Fault: a fence publishes nothing, or all the same without its partner.
TEST(Litmus, FencesPassOn) {
  fenced_message_passing<release, acquire>(all_but(2, {1, 0}));
  fenced_message_passing<seq_cst, seq_cst>(all_but(2, {1, 0}));
  fenced_message_passing<acquire, release>(all_of(2));
  fenced_message_passing<acquire, acquire>(all_of(2));
}

// A release of one kind pairs with an acquire of the other one.
TEST(Litmus, AFencePairsWithAnAccess) {
  const thread by_fence = [](cells& c) {
    c.x.store(1, relaxed);
    std::atomic_thread_fence(release);
    c.y.store(1, relaxed);
  };
  const thread by_store = [](cells& c) {
    c.x.store(1, relaxed);
    c.y.store(1, release);
  };
  const thread to_fence = [](cells& c) {
    c.r[0] = c.y.load(relaxed);
    std::atomic_thread_fence(acquire);
    c.r[1] = c.x.load(relaxed);
  };
  const thread to_load = [](cells& c) {
    c.r[0] = c.y.load(acquire);
    c.r[1] = c.x.load(relaxed);
  };
  expect_outcomes({by_fence, to_load}, all_but(2, {1, 0}));
  expect_outcomes({by_store, to_fence}, all_but(2, {1, 0}));
  // Not with what is read behind the fence, or was stored before it.
  expect_outcomes({by_store,
                   [](cells& c) {
                     std::atomic_thread_fence(acquire);
                     c.r[0] = c.y.load(relaxed);
                     c.r[1] = c.x.load(relaxed);
                   }},
                  all_of(2));
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     c.y.store(1, relaxed);
                     std::atomic_thread_fence(release);
                   },
                   to_load},
                  all_of(2));
}

// The thread between hands it on with an operation that reads and writes at once, or with a store of its own.
// Fault: a release sequence ends too early, or not at all.
TEST(Litmus, ReleaseSequences) {
  const thread publishes = [](cells& c) {
    c.x.store(1, relaxed);
    c.y.store(1, release);
  };
  const thread adds = [](cells& c) { c.y.fetch_add(2, relaxed); };
  const thread reads = [](cells& c) {
    c.r[0] = c.y.load(acquire);
    c.r[1] = c.x.load(relaxed);
  };
  expect_outcomes({publishes, adds, reads}, {{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}, {3, 1}});
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     c.y.store(1, release);
                     c.y.store(2, relaxed);
                   },
                   reads},
                  {{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}});
}

// Fault: fences do not begin or end such a sequence, or the second of two who hand on ends that of the first one.
TEST(Litmus, ReleaseSequencesOfFences) {
  const std::vector<thread> threads{[](cells& c) {
                                      c.x.store(1, relaxed);
                                      std::atomic_thread_fence(release);
                                      c.y.store(1, relaxed);
                                    },
                                    [](cells& c) { c.y.fetch_add(2, relaxed); },
                                    [](cells& c) {
                                      c.r[0] = c.y.load(relaxed);
                                      std::atomic_thread_fence(acquire);
                                      c.r[1] = c.x.load(relaxed);
                                    }};
  expect_outcomes(threads, {{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}, {3, 1}});
  // Both have added: who reads that has what both did.
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     c.y.fetch_add(1, release);
                   },
                   [](cells& c) {
                     c.z.store(1, relaxed);
                     c.y.fetch_add(2, release);
                   },
                   [](cells& c) {
                     if (c.y.load(acquire) != 3) return;
                     c.r[0] = c.x.load(relaxed);
                     c.r[1] = c.z.load(relaxed);
                   }},
                  {{}, {1, 1}});
}

// --- One place.

// Fault: a thread reads backwards, misses its own store, or takes its own store back.
TEST(Litmus, OnePlaceIsCoherent) {
  const thread two = [](cells& c) {
    c.x.store(1, relaxed);
    c.x.store(2, relaxed);
  };
  expect_outcomes({two,
                   [](cells& c) {
                     c.r[0] = c.x.load(relaxed);
                     c.r[1] = c.x.load(relaxed);
                   }},
                  {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}});
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     c.r[0] = c.x.load(relaxed);
                   },
                   [](cells& c) { c.x.store(2, relaxed); }},
                  {{1, 1, 0}, {1, 2, 0}, {2, 2, 0}}, notes::stored);
  expect_outcomes({two}, {{2, 0}}, notes::stored);
  // CoRW1, CoRW2 and CoWR.
  expect_outcomes({[](cells& c) {
                    c.r[0] = c.x.load(relaxed);
                    c.x.store(1, relaxed);
                  }},
                  {{0, 1, 0}}, notes::stored);
  expect_outcomes({[](cells& c) {
                     c.r[0] = c.x.load(relaxed);
                     c.x.store(1, relaxed);
                   },
                   [](cells& c) { c.x.store(2, relaxed); }},
                  {{0, 1, 0}, {0, 2, 0}, {2, 1, 0}}, notes::stored);
  expect_outcomes({[](cells& c) { c.x.store(1, relaxed); },
                   [](cells& c) {
                     c.x.store(2, relaxed);
                     c.r[0] = c.x.load(relaxed);
                   }},
                  {{1, 1, 0}, {2, 1, 0}, {2, 2, 0}}, notes::stored);
}

// What was before the threads is seen by all, and what they did by who comes after them.
TEST(Litmus, ThreadsBeginAndEnd) {
  struct plain {
    std::atomic<int> x{0};
    int before = 0, after = 0, read = 0;
  };
  const explore::findings found = explore::explore(
      [] {
        auto p = std::make_shared<plain>();
        p->x.store(1, relaxed);
        p->before = 1;
        return explore::program{
            .threads = {{"reads",
                         [p = p.get()] {
                           p->read = p->x.load(relaxed);
                           explore::check(p->read != 0, "what was before is seen");
                           p->after = p->before;
                         }},
                        {"stores", [p = p.get()] { p->x.store(2, relaxed); }}},
            .at_end = [p] { explore::check(p->x.load(relaxed) == 2 && p->after == 1, "all is seen"); }};
      },
      {.model = explore::memory::weak, .most_passed = 100, .random_orders = 0});
  EXPECT_EQ(found.fault, "");
  EXPECT_EQ(found.executions, 2U);
}

// Fault: two who read and write at once read the same.
TEST(Litmus, WhoReadsAndWritesAtOnceIsAlone) {
  expect_outcomes({[](cells& c) { c.r[0] = c.x.fetch_add(1, relaxed); },
                   [](cells& c) { c.r[1] = c.x.fetch_add(1, relaxed); }},
                  {{0, 1}, {1, 0}});
  expect_outcomes({[](cells& c) {
                     int expected = 0;
                     c.r[0] = c.x.compare_exchange_strong(expected, 1, relaxed) ? 1 : 0;
                   },
                   [](cells& c) {
                     int expected = 0;
                     c.r[1] = c.x.compare_exchange_strong(expected, 2, relaxed) ? 1 : 0;
                   }},
                  {{0, 1}, {1, 0}});
}

// Fault: a store comes between what is read and written at once.
TEST(Litmus, NothingComesBetween) {
  expect_outcomes(
      {[](cells& c) { c.x.store(1, relaxed); }, [](cells& c) { c.r[0] = c.x.fetch_add(10, relaxed); }},
      {{0, 1, 0}, {1, 11, 0}}, notes::stored);
}

// Fault: what is called weak never fails on what it expects; or what is not, does.
TEST(Litmus, AWeakComparisonMayFail) {
  const std::vector<thread> weak{[](cells& c) {
    int expected = 0;
    c.r[0] = c.x.compare_exchange_weak(expected, 1, relaxed) ? 1 : 0;
    c.r[1] = c.x.compare_exchange_weak(expected, 1, relaxed) ? 1 : 0;
  }};
  const std::vector<thread> strong{[](cells& c) {
    int expected = 0;
    c.r[0] = c.x.compare_exchange_strong(expected, 1, relaxed) ? 1 : 0;
  }};
  EXPECT_EQ(outcomes(weak, notes::read, true, 0), (std::set<outcome>{{1, 0}}));
  EXPECT_EQ(outcomes(weak, notes::read, true, 1), (std::set<outcome>{{0, 1}}));
  EXPECT_EQ(outcomes(strong, notes::read, true, 1), (std::set<outcome>{{1}}));
}

// A comparison that fails is only a load: it may read what is old.
TEST(Litmus, AComparisonMayFailOnWhatIsOld) {
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     c.y.store(1, relaxed);
                   },
                   [](cells& c) {
                     c.r[0] = c.y.load(relaxed);
                     int expected = 1;
                     c.r[1] = c.x.compare_exchange_strong(expected, 2, relaxed) ? 1 : 0;
                   }},
                  all_of(2));
}

// Fault: stores take their place in the order of their execution.
TEST(Litmus, StoresOvertakeStores) {
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     c.y.store(2, relaxed);
                   },
                   [](cells& c) {
                     c.y.store(1, relaxed);
                     c.x.store(2, relaxed);
                   }},
                  {{1, 1}, {1, 2}, {2, 1}, {2, 2}}, notes::stored);
  expect_outcomes({[](cells& c) {
                     c.x.store(2, relaxed);
                     c.y.store(1, release);
                   },
                   [](cells& c) {
                     c.r[0] = c.y.load(acquire);
                     c.x.store(1, relaxed);
                   }},
                  {{0, 1, 1}, {0, 2, 1}, {1, 1, 1}}, notes::stored);
}

// --- Two places.

template <std::memory_order Stored, std::memory_order Loaded>
void store_buffering(const std::set<outcome>& expected) {
  expect_outcomes({[](cells& c) {
                     c.x.store(1, Stored);
                     c.r[0] = c.y.load(Loaded);
                   },
                   [](cells& c) {
                     c.y.store(1, Stored);
                     c.r[1] = c.x.load(Loaded);
                   }},
                  expected);
}
// Fault: a store is seen at once; or sequential consistency does not order.
TEST(Litmus, StoresWait) {
  store_buffering<relaxed, relaxed>(all_of(2));
  store_buffering<release, acquire>(all_of(2));
  store_buffering<seq_cst, acquire>(all_of(2));
  store_buffering<release, seq_cst>(all_of(2));
  store_buffering<seq_cst, seq_cst>(all_but(2, {0, 0}));
}

template <bool One, bool Other>
void fenced_store_buffering(const std::set<outcome>& expected) {
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     if (One) std::atomic_thread_fence(seq_cst);
                     c.r[0] = c.y.load(relaxed);
                   },
                   [](cells& c) {
                     c.y.store(1, relaxed);
                     if (Other) std::atomic_thread_fence(seq_cst);
                     c.r[1] = c.x.load(relaxed);
                   }},
                  expected);
}
// Fault: fences do not order; or one suffices.
TEST(Litmus, FencesHoldBoth) {
  fenced_store_buffering<true, true>(all_but(2, {0, 0}));
  fenced_store_buffering<true, false>(all_of(2));
  fenced_store_buffering<false, true>(all_of(2));
}
// A fence against sequentially consistent accesses: RC11 orders these, too.
TEST(Litmus, AFenceAgainstAccesses) {
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     std::atomic_thread_fence(seq_cst);
                     c.r[0] = c.y.load(relaxed);
                   },
                   [](cells& c) {
                     c.y.store(1, seq_cst);
                     c.r[1] = c.x.load(seq_cst);
                   }},
                  all_but(2, {0, 0}));
}
// An operation that reads and writes at once is a load and a store of its order, and no fence.
TEST(Litmus, AnExchangeIsNoFence) {
  expect_outcomes({[](cells& c) {
                     c.x.exchange(1, acq_rel);
                     c.r[0] = c.y.load(acquire);
                   },
                   [](cells& c) {
                     c.y.exchange(1, acq_rel);
                     c.r[1] = c.x.load(acquire);
                   }},
                  all_of(2));
  expect_outcomes({[](cells& c) {
                     c.x.exchange(1, seq_cst);
                     c.r[0] = c.y.load(seq_cst);
                   },
                   [](cells& c) {
                     c.y.exchange(1, seq_cst);
                     c.r[1] = c.x.load(seq_cst);
                   }},
                  all_but(2, {0, 0}));
}

// 2+2W and R: sequential consistency orders stores against stores, too.
template <std::memory_order Order, bool Fenced>
void two_stores_each(const std::set<outcome>& expected) {
  expect_outcomes({[](cells& c) {
                     c.x.store(1, Order);
                     if (Fenced) std::atomic_thread_fence(seq_cst);
                     c.y.store(2, Order);
                   },
                   [](cells& c) {
                     c.y.store(1, Order);
                     if (Fenced) std::atomic_thread_fence(seq_cst);
                     c.x.store(2, Order);
                   }},
                  expected, notes::stored);
}
TEST(Litmus, StoresAgainstStores) {
  two_stores_each<release, false>({{1, 1}, {1, 2}, {2, 1}, {2, 2}});
  two_stores_each<seq_cst, false>({{1, 2}, {2, 1}, {2, 2}});
  two_stores_each<relaxed, true>({{1, 2}, {2, 1}, {2, 2}});
}
template <std::memory_order Order, bool Fenced>
void stores_against_a_load(const std::set<outcome>& expected) {
  expect_outcomes({[](cells& c) {
                     c.x.store(1, Order);
                     if (Fenced) std::atomic_thread_fence(seq_cst);
                     c.y.store(1, Order);
                   },
                   [](cells& c) {
                     c.y.store(2, Order);
                     if (Fenced) std::atomic_thread_fence(seq_cst);
                     c.r[0] = c.x.load(Order == release ? acquire : Order);
                   }},
                  expected, notes::stored);
}
TEST(Litmus, StoresAgainstALoad) {
  stores_against_a_load<release, false>({{0, 1, 1}, {0, 1, 2}, {1, 1, 1}, {1, 1, 2}});
  stores_against_a_load<seq_cst, false>({{0, 1, 1}, {1, 1, 1}, {1, 1, 2}});
  stores_against_a_load<relaxed, true>({{0, 1, 1}, {1, 1, 1}, {1, 1, 2}});
}

// What is sequentially consistent is not in the order of execution: something relaxed may overtake it.
// Fault: a load of the first place sees all that was stored there before in time.
TEST(Litmus, WhatIsRelaxedOvertakesWhatIsSequential) {
  const thread stores = [](cells& c) {
    c.x.store(1, seq_cst);
    c.y.store(1, relaxed);
  };
  expect_outcomes({stores,
                   [](cells& c) {
                     c.r[0] = c.y.load(relaxed);
                     c.r[1] = c.x.load(seq_cst);
                   }},
                  all_of(2));
  expect_outcomes({stores,
                   [](cells& c) {
                     c.r[0] = c.y.load(acquire);
                     c.r[1] = c.x.load(seq_cst);
                   }},
                  all_of(2));
  // With fences at both ends, and nothing in the thread between.
  const thread last = [](cells& c) {
    c.r[1] = c.z.load(relaxed);
    std::atomic_thread_fence(seq_cst);
    c.r[2] = c.x.load(relaxed);
  };
  const thread first = [](cells& c) {
    c.x.store(1, relaxed);
    std::atomic_thread_fence(seq_cst);
    c.y.store(1, relaxed);
  };
  expect_outcomes({first,
                   [](cells& c) {
                     c.r[0] = c.y.load(relaxed);
                     c.z.store(1, relaxed);
                   },
                   last},
                  all_of(3));
  expect_outcomes({first,
                   [](cells& c) {
                     c.r[0] = c.y.load(acquire);
                     c.z.store(1, release);
                   },
                   last},
                  all_but(3, {1, 1, 0}));
}

// Z6.U: RC11 allows it, so that sequentially consistent accesses can be translated for Power; C11 did not.
TEST(Litmus, AccessesOfTwoKinds) {
  const std::set<outcome> seen = outcomes({[](cells& c) {
                                             c.x.store(1, seq_cst);
                                             c.y.store(1, release);
                                           },
                                           [](cells& c) {
                                             c.r[0] = c.y.fetch_add(1, seq_cst);
                                             c.r[1] = c.y.load(relaxed);
                                           },
                                           [](cells& c) {
                                             c.y.store(3, seq_cst);
                                             c.r[2] = c.x.load(seq_cst);
                                           }},
                                          notes::read, true);
  EXPECT_TRUE(seen.contains({1, 3, 0}));
}

// Load buffering: both would read a store that comes after their own load. The model allows it; the machine executes a
// load before what follows, and does not have it.
TEST(Litmus, NoLoadReadsWhatComesLater) {
  expect_outcomes({[](cells& c) {
                     c.r[0] = c.y.load(relaxed);
                     c.x.store(1, relaxed);
                   },
                   [](cells& c) {
                     c.r[1] = c.x.load(relaxed);
                     c.y.store(1, relaxed);
                   }},
                  all_but(2, {1, 1}));
}

// --- Four threads.

template <std::memory_order Order>
void independent_reads(const std::set<outcome>& expected) {
  expect_outcomes({[](cells& c) { c.x.store(1, Order == acquire ? release : Order); },
                   [](cells& c) { c.y.store(1, Order == acquire ? release : Order); },
                   [](cells& c) {
                     c.r[0] = c.x.load(Order);
                     c.r[1] = c.y.load(Order);
                   },
                   [](cells& c) {
                     c.r[2] = c.y.load(Order);
                     c.r[3] = c.x.load(Order);
                   }},
                  expected);
}
// Fault: all see stores in one order.
TEST(Litmus, IndependentReads) {
  independent_reads<relaxed>(all_of(4));
  independent_reads<acquire>(all_of(4));
  independent_reads<seq_cst>(all_but(4, {1, 0, 1, 0}));
}

template <std::memory_order Between>
void fenced_independent_reads(const std::set<outcome>& expected) {
  expect_outcomes({[](cells& c) { c.x.store(1, relaxed); }, [](cells& c) { c.y.store(1, relaxed); },
                   [](cells& c) {
                     c.r[0] = c.x.load(relaxed);
                     std::atomic_thread_fence(Between);
                     c.r[1] = c.y.load(relaxed);
                   },
                   [](cells& c) {
                     c.r[2] = c.y.load(relaxed);
                     std::atomic_thread_fence(Between);
                     c.r[3] = c.x.load(relaxed);
                   }},
                  expected);
}
// RC11's fences are cumulative, and so bring back sequential consistency; those of C11 did not.
TEST(Litmus, FencesBetweenIndependentReads) {
  fenced_independent_reads<acquire>(all_of(4));
  fenced_independent_reads<seq_cst>(all_but(4, {1, 0, 1, 0}));
}
// RWC: the reader has a fence, or only acquires.
template <std::memory_order Between>
void read_to_write(const std::set<outcome>& expected) {
  expect_outcomes({[](cells& c) { c.x.store(1, relaxed); },
                   [](cells& c) {
                     c.r[0] = c.x.load(relaxed);
                     std::atomic_thread_fence(Between);
                     c.r[1] = c.y.load(relaxed);
                   },
                   [](cells& c) {
                     c.y.store(1, relaxed);
                     std::atomic_thread_fence(seq_cst);
                     c.r[2] = c.x.load(relaxed);
                   }},
                  expected);
}
TEST(Litmus, AReadBeforeAStore) {
  read_to_write<acquire>(all_of(3));
  read_to_write<seq_cst>(all_but(3, {1, 0, 0}));
}

// What one has read, and acquired, it passes on.
TEST(Litmus, WhatIsReadIsPassedOn) {
  const thread first = [](cells& c) { c.x.store(1, relaxed); };
  const thread last = [](cells& c) {
    c.r[1] = c.y.load(acquire);
    c.r[2] = c.x.load(relaxed);
  };
  expect_outcomes({first,
                   [](cells& c) {
                     c.r[0] = c.x.load(relaxed);
                     c.y.store(1, release);
                   },
                   last},
                  all_but(3, {1, 1, 0}));
  expect_outcomes({first,
                   [](cells& c) {
                     c.r[0] = c.x.load(relaxed);
                     c.y.store(1, relaxed);
                   },
                   last},
                  all_of(3));
}

// --- What the system does.

// Fault: one side's barrier does not stand in for the other's fence.
TEST(Litmus, ABarrierIsTheOthersFence) {
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     c.r[0] = c.y.load(relaxed);
                   },
                   [](cells& c) {
                     c.y.store(1, relaxed);
                     fence_all();
                     c.r[1] = c.x.load(relaxed);
                   }},
                  all_but(2, {0, 0}));
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     c.y.store(1, relaxed);
                   },
                   [](cells& c) {
                     c.r[0] = c.y.load(relaxed);
                     fence_all();
                     c.r[1] = c.x.load(relaxed);
                   }},
                  all_but(2, {1, 0}));
  expect_outcomes({[](cells& c) {
                     c.x.store(1, relaxed);
                     fence_all();
                     c.y.store(1, relaxed);
                   },
                   [](cells& c) {
                     c.r[0] = c.y.load(relaxed);
                     c.r[1] = c.x.load(relaxed);
                   }},
                  all_but(2, {1, 0}));
}

// A third thread's barrier comes when it will: it orders nothing for two that have no fence.
TEST(Litmus, SomebodyElsesBarrierOrdersNothing) {
  const std::vector<thread> two{[](cells& c) {
                                  c.x.store(1, relaxed);
                                  c.r[0] = c.y.load(relaxed);
                                },
                                [](cells& c) {
                                  c.y.store(1, relaxed);
                                  c.r[1] = c.x.load(relaxed);
                                },
                                [](cells&) { fence_all(); }};
  expect_outcomes(two, all_of(2));
}

// Fault: a lock does not pass on what was done under it; or is seen to be free at once.
TEST(Litmus, Locks) {
  expect_outcomes({[](cells& c) {
                     const std::lock_guard guard(c.lock);
                     c.x.store(1, relaxed);
                     c.y.store(1, relaxed);
                   },
                   [](cells& c) {
                     const std::lock_guard guard(c.lock);
                     c.r[0] = c.y.load(relaxed);
                     c.r[1] = c.x.load(relaxed);
                   }},
                  {{0, 0}, {1, 1}});
  expect_outcomes({[](cells& c) {
                     c.lock.lock();
                     c.lock.unlock();
                     c.y.store(1, relaxed);
                   },
                   [](cells& c) {
                     c.r[0] = c.y.load(relaxed);
                     c.r[1] = c.lock.try_lock() ? 1 : 0;
                     if (c.r[1] == 1) c.lock.unlock();
                   }},
                  all_of(2));
}

}  // namespace
