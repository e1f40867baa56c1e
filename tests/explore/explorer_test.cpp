// SPDX-License-Identifier: Apache-2.0
// The explorer itself: it finds what a textbook says is there, and nothing else.
#include "explorer.hpp"

#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using explore::findings;
using explore::program;

// What two threads saw.
struct litmus {
  std::atomic<int> x{0}, y{0};
  int plain = 0;
  int first = -1, second = -1;
};

template <class Body>
std::set<std::pair<int, int>> outcomes(Body first, Body second, findings& found) {
  std::set<std::pair<int, int>> seen;
  found = explore::explore([&] {
    auto l = std::make_shared<litmus>();
    return program{.threads = {{"first", [=] { first(*l); }}, {"second", [=] { second(*l); }}},
                   .at_end = [l, &seen] { seen.insert({l->first, l->second}); }};
  });
  EXPECT_TRUE(found.complete);
  return seen;
}

// Fault: without store buffers, the explorer never shows that both threads miss the other's store.
TEST(Explorer, StoresWaitInABuffer) {
  findings found;
  const auto seen = outcomes<void (*)(litmus&)>(
      [](litmus& l) {
        l.x.store(1, std::memory_order_relaxed);
        l.first = l.y.load(std::memory_order_relaxed);
      },
      [](litmus& l) {
        l.y.store(1, std::memory_order_relaxed);
        l.second = l.x.load(std::memory_order_relaxed);
      },
      found);
  EXPECT_EQ(found.fault, "");
  EXPECT_EQ(seen, (std::set<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

// Fault: fences do not drain.
TEST(Explorer, FencesDrainTheBuffer) {
  findings found;
  const auto seen = outcomes<void (*)(litmus&)>(
      [](litmus& l) {
        l.x.store(1, std::memory_order_seq_cst);
        l.first = l.y.load(std::memory_order_relaxed);
      },
      [](litmus& l) {
        l.y.store(1, std::memory_order_seq_cst);
        l.second = l.x.load(std::memory_order_relaxed);
      },
      found);
  EXPECT_EQ(found.fault, "");
  EXPECT_EQ(seen, (std::set<std::pair<int, int>>{{0, 1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(found.executions, 3U);
}

// Fault: a missing release is not seen, as the machine keeps stores in order all the same.
TEST(Explorer, AMissingReleaseIsADataRace) {
  for (const auto order : {std::memory_order_release, std::memory_order_relaxed}) {
    const findings found = explore::explore([&] {
      auto l = std::make_shared<litmus>();
      return program{.threads = {{"writer",
                                  [=] {
                                    l->plain = 1;
                                    l->x.store(1, order);
                                  }},
                                 {"reader", [=] {
                                    if (l->x.load(std::memory_order_acquire) == 1)
                                      explore::check(l->plain == 1, "seen");
                                  }}}};
    });
    EXPECT_EQ(found.fault.empty(), order == std::memory_order_release) << found.fault;
  }
}

// Fault: a lock that is waited for is taken for a deadlock, or what it guards for a race.
TEST(Explorer, MutexesGuard) {
  const findings found = explore::explore([] {
    struct guarded {
      std::mutex lock;
      int count = 0;
    };
    auto g = std::make_shared<guarded>();
    const auto add = [g] {
      const std::lock_guard guard(g->lock);
      ++g->count;
    };
    return program{.threads = {{"a", add}, {"b", add}, {"c", add}},
                   .at_end = [g] { explore::check(g->count == 3, "three"); }};
  });
  EXPECT_EQ(found.fault, "");
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.executions, 6U);  // the orders of three
}

// Fault: a deadlock goes unnoticed.
TEST(Explorer, DeadlocksAreFound) {
  const findings found = explore::explore([] {
    struct two {
      std::mutex a, b;
    };
    auto t = std::make_shared<two>();
    const auto take = [t](std::mutex two::* first, std::mutex two::* second) {
      const std::lock_guard outer(t.get()->*first);
      const std::lock_guard inner(t.get()->*second);
    };
    return program{
        .threads = {{"ab", [=] { take(&two::a, &two::b); }}, {"ba", [=] { take(&two::b, &two::a); }}}};
  });
  EXPECT_NE(found.fault.find("deadlock"), std::string::npos);
}

// Fault: a thread that waits for a change is woken by none, or for ever.
TEST(Explorer, WaitsEnd) {
  const findings found = explore::explore([] {
    auto l = std::make_shared<litmus>();
    return program{.threads = {{"sets",
                                [=] {
                                  l->x.store(1);
                                  l->x.store(2);
                                }},
                               {"waits", [=] { explore::wait_until([&] { return l->x.load() == 2; }); }}}};
  });
  EXPECT_EQ(found.fault, "");
  EXPECT_TRUE(found.complete);
}

// A program of random loads, stores, exchanges, fences, barriers and locks. Each thread notes what it read.
struct random_program {
  explicit random_program(unsigned seed) : random(seed) {
    const unsigned threads = 2 + draw(2);
    for (unsigned t = 0; t < threads; ++t) {
      code.emplace_back();
      for (unsigned i = 0, n = 2 + draw(threads == 2 ? 3 : 2); i < n; ++i)
        code.back().push_back({draw(8), draw(2), static_cast<int>(draw(2)) + 1});
    }
  }

  unsigned draw(unsigned below) { return static_cast<unsigned>(random() % below); }

  struct operation {
    unsigned kind;
    unsigned place;
    int value;
  };
  struct memory {
    std::array<std::atomic<int>, 2> cells{};
    std::mutex lock;
    std::array<std::vector<int>, 3> read;
  };

  void run(memory& m, unsigned thread) const {
    std::vector<int>& read = m.read[thread];
    for (const operation& o : code[thread]) {
      std::atomic<int>& cell = m.cells[o.place];
      switch (o.kind) {
        case 0:
        case 1: read.push_back(cell.load(std::memory_order_relaxed)); break;
        case 2:
        case 3: cell.store(o.value, std::memory_order_relaxed); break;
        case 4: read.push_back(cell.exchange(o.value)); break;
        case 5: {
          int expected = 0;
          read.push_back(cell.compare_exchange_strong(expected, o.value) ? 1 : 0);
          break;
        }
        case 6: syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); break;
        default:
          if (o.place == 0) {
            const std::lock_guard guard(m.lock);
            read.push_back(m.cells[1].load(std::memory_order_relaxed));
            m.cells[1].store(o.value, std::memory_order_relaxed);
          } else if (m.lock.try_lock()) {
            read.push_back(7);
            m.lock.unlock();
          }
      }
    }
  }

  // All that can be read.
  std::set<std::vector<int>> outcomes(bool reduces, std::uint64_t& executions,
                                      explore::memory model = explore::memory::total_store_order) const {
    std::set<std::vector<int>> seen;
    const findings found = explore::explore(
        [&] {
          auto m = std::make_shared<memory>();
          for (auto& read : m->read) read.reserve(16);
          program p;
          for (unsigned t = 0; t < code.size(); ++t)
            p.threads.emplace_back(std::to_string(t), [this, t, m = m.get()] { run(*m, t); });
          p.at_end = [m, &seen] {
            std::vector<int> all{m->cells[0].load(), m->cells[1].load()};
            for (const auto& read : m->read) {
              all.push_back(-1);
              all.insert(all.end(), read.begin(), read.end());
            }
            seen.insert(all);
          };
          return p;
        },
        {.model = model,
         .most_passed = 100,
         .most_executions = 10'000,
         .random_orders = 0,
         .reduces = reduces});
    EXPECT_EQ(found.fault, "");
    executions = found.executions;
    return found.complete ? seen : std::set<std::vector<int>>{};
  }

  std::minstd_rand random;
  std::vector<std::vector<operation>> code;
};

// Fault: an order is left out that makes a difference.
void expect_nothing_is_left_out(explore::memory model) {
  unsigned compared = 0;
  std::uint64_t few = 0, many = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const random_program p(seed);
    std::uint64_t reduced = 0, all = 0;
    const auto without = p.outcomes(false, all, model);
    if (without.empty()) continue;  // too many
    EXPECT_EQ(p.outcomes(true, reduced, model), without) << "seed " << seed;
    few += reduced;
    many += all;
    ++compared;
  }
  EXPECT_GT(compared, 25U);
  EXPECT_LT(few * 4, many);
  std::printf("%u programs, %lu orders instead of %lu\n", compared, few, many);
}
TEST(Explorer, LeavesOutNothing) { expect_nothing_is_left_out(explore::memory::total_store_order); }
TEST(Explorer, LeavesOutNothingOfWeakMemory) { expect_nothing_is_left_out(explore::memory::weak); }

}  // namespace
