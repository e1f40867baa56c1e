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
  std::atomic<int> x{0}, y{0};
  std::mutex lock;
  std::array<int, 4> r{-1, -1, -1, -1};
};
using thread = void (*)(cells&);
using outcome = std::vector<int>;
enum class notes { read, stored };  // what the threads have read, or what is in x and y at the end, too

std::set<outcome> outcomes(const std::vector<thread>& threads, notes what, bool reduces) {
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
      {.model = explore::memory::weak, .most_passed = 100, .random_orders = 0, .reduces = reduces});
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
