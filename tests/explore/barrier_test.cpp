// SPDX-License-Identifier: Apache-2.0
// The real barriers, which several threads share. Each case explores all orders.
#include "system/barrier.hpp"
#include "world.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

namespace {

using explore::expect_none;

// What a thread stored before its latest store, for who has seen that store, and waits for a barrier, and is served by
// somebody else's.
TEST(Barrier, ShowsWhatWasStored) {
  expect_none(explore::explore([] {
    struct shared {
      sennit::detail::barriers shared;
      int stored = 0;
      std::atomic<int> told{0};
    };
    auto s = std::make_shared<shared>();
    const auto waits = [s = s.get()] {
      if (s->told.load(std::memory_order_relaxed) == 0) return;
      s->shared.settle(s->shared.now());
      explore::check(s->stored == 1, "what was stored before is seen");
    };
    return explore::program{.threads = {{"stores",
                                         [s = s.get()] {
                                           s->stored = 1;
                                           s->told.store(1, std::memory_order_relaxed);
                                         }},
                                        {"first", waits},
                                        {"second", waits}},
                            .at_end = [s] {}};
  }));
}

// Those who wait for a barrier at the same time share one. Each is to see what an owner has stored before, or the owner
// what it has stored itself.
TEST(Barrier, IsShared) {
  expect_none(explore::explore([] {
    struct shared {
      sennit::detail::barriers shared;
      std::atomic<int> gate[2]{};
      std::atomic<int> tail{0};
      int saw[2] = {};
      int met[2] = {};
    };
    auto s = std::make_shared<shared>();
    const auto waits = [s = s.get()](unsigned i) {
      s->gate[i].store(1, std::memory_order_relaxed);
      s->shared.settle(s->shared.now());
      s->saw[i] = s->tail.load(std::memory_order_relaxed);
    };
    return explore::program{.threads = {{"owner",
                                         [s = s.get()] {
                                           s->tail.store(1, std::memory_order_relaxed);
                                           for (unsigned i = 0; i < 2; ++i)
                                             s->met[i] = s->gate[i].load(std::memory_order_relaxed);
                                         }},
                                        {"first", [=] { waits(0); }},
                                        {"second", [=] { waits(1); }}},
                            .at_end = [s] {
                              for (unsigned i = 0; i < 2; ++i)
                                explore::check(s->saw[i] == 1 || s->met[i] == 1, "one sees the other");
                            }};
  }));
}

// A barrier that begins before a thread has stored does not serve that thread, although it ends later. Catches: the thread's
// ticket does not count a barrier that began before its store.
TEST(Barrier, ServesWhoStoredBefore) {
  expect_none(explore::explore([] {
    struct shared {
      sennit::detail::barriers shared;
      sennit::detail::barriers::ticket before = shared.now();
      std::atomic<int> gate{0};
      std::atomic<int> tail{0};
      int saw = 0;
      int met = 0;
    };
    auto s = std::make_shared<shared>();
    return explore::program{
        .threads = {{"owner",
                     [s = s.get()] {
                       s->tail.store(1, std::memory_order_relaxed);
                       s->met = s->gate.load(std::memory_order_relaxed);
                     }},
                    {"issues one", [s = s.get()] { s->shared.settle(s->before); }},
                    {"stores",
                     [s = s.get()] {
                       s->gate.store(1, std::memory_order_relaxed);
                       s->shared.settle(s->shared.now());
                       s->saw = s->tail.load(std::memory_order_relaxed);
                     }}},
        .at_end = [s] { explore::check(s->saw == 1 || s->met == 1, "one sees the other"); }};
  }));
}

}  // namespace
