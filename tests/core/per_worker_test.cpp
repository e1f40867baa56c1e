// SPDX-License-Identifier: Apache-2.0
// per_worker: a part for each thread, whoever it is.
#include "support.hpp"

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>

namespace sennit_test {
namespace {

// Finds out if two strands are at it at once.
struct counter {
  long count = 0;
  std::atomic<bool> busy{false};
  // False: somebody else is.
  bool add() {
    if (busy.exchange(true)) return false;
    ++count;
    std::this_thread::yield();
    busy = false;
    return true;
  }
};

long sum_of(sennit::per_worker<counter>& counters) {
  long sum = 0;
  counters.for_each([&](const counter& c) { sum += c.count; });
  return sum;
}

std::size_t parts_of(sennit::per_worker<counter>& counters) {
  std::size_t parts = 0;
  counters.for_each([&](const counter&) { ++parts; });
  return parts;
}

// Catches a part that two strands have at once, one that is lost, and more of them than there are workers.
TEST(per_worker, is_one_strand_s_between_constructs) {
  under(all_settings(), [](sennit::runtime& rt) {
    sennit::per_worker<counter> counters;
    std::atomic<int> shared{0};
    const auto add = [&] {
      if (!counters.local().add()) ++shared;
    };
    rt.run([&] {
      sennit::parallel_for(0, 300, [&](int) { add(); }, sennit::grain(1));
      sennit::join(add, add, [&] { sennit::parallel_for(0, 98, [&](int) { add(); }); });
      sennit::task_group group;
      for (int i = 0; i < 100; ++i) group.spawn(add);
      group.wait();
    });
    EXPECT_EQ(shared, 0);
    EXPECT_EQ(sum_of(counters), 500);
    EXPECT_LE(parts_of(counters), rt.workers());
  });
}

// Catches storage for as many as worker_count() says: here are guests, blocked threads and several runtimes, one
// entered from within the other, and threads in none.
TEST(per_worker, fits_whoever_comes) {
  sennit::runtime first({.workers = 2});
  sennit::runtime second({.workers = 2});
  sennit::per_worker<counter> counters;
  std::atomic<int> shared{0};
  const auto add = [&] {
    if (!counters.local().add()) ++shared;
  };
  std::vector<std::thread> threads;
  std::atomic<int> arrived{0};
  constexpr int guests = 8;
  for (int g = 0; g < guests; ++g) {
    threads.emplace_back([&, g] {
      add();
      ++arrived;
      await([&] { return arrived == guests; }, "all guests");
      (g % 2 == 0 ? first : second).run([&] {
        for (int i = 0; i < 10; ++i) {
          sennit::join([&] { sennit::blocking([&] { std::this_thread::yield(); }); }, add);
          add();
          (g % 2 == 0 ? second : first).run([&] { sennit::join(add, add); });
          add();
        }
      });
      add();
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(sum_of(counters), guests * (2 + 10 * 5));
}

// Catches a reference that is kept for a strand rather than its thread.
TEST(per_worker, changes_with_the_strand_s_thread) {
  sennit::runtime rt({.workers = 2});
  sennit::per_worker<counter> counters;
  rt.run([&] {
    const counter* const before = &counters.local();
    change_threads(rt);
    EXPECT_NE(&counters.local(), before);
  });
}

// Catches parts that move as others are made, share a cache line, or are not found again; and an order that changes.
TEST(per_worker, grows_without_moving) {
  constexpr int count = 200;
  sennit::per_worker<counter> counters;
  std::vector<counter*> mine(count);
  std::atomic<int> made{0};
  std::atomic<int> moved{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      counter& own = counters.local();
      mine[static_cast<std::size_t>(t)] = &own;
      own.count = t;
      ++made;
      await([&] { return made == count; }, "all threads");
      if (&counters.local() != &own || own.count != t) ++moved;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(moved, 0);
  std::set<std::uintptr_t> lines;
  for (counter* c : mine) lines.insert(reinterpret_cast<std::uintptr_t>(c) / 128);
  EXPECT_EQ(lines.size(), mine.size());
  std::vector<const counter*> order;
  std::vector<const counter*> again;
  counters.for_each([&](const counter& c) { order.push_back(&c); });
  counters.for_each([&](const counter& c) { again.push_back(&c); });
  EXPECT_THAT(order, testing::UnorderedElementsAreArray(mine));
  EXPECT_EQ(order, again);
}

// Catches parts that a program with a thread for each request collects without end.
TEST(per_worker, part_of_a_thread_that_has_ended_is_another_one_s) {
  sennit::per_worker<counter> counters;
  for (int i = 0; i < 100; ++i) std::thread([&] { counters.local().add(); }).join();
  EXPECT_EQ(sum_of(counters), 100);
  EXPECT_LE(parts_of(counters), 2U);
}

// Catches a part that is half made, or never again, once making it has failed.
TEST(per_worker, is_made_anew_after_a_failure) {
  under(all_settings(), [](sennit::runtime& rt) {
    std::atomic<int> left{3};
    sennit::per_worker<tracked> parts([&] {
      if (left.fetch_sub(1) > 0) throw std::runtime_error("not yet");
      return tracked(7);
    });
    std::atomic<int> caught{0};
    rt.run([&] {
      sennit::parallel_for(0, 100, [&](int) {
        for (;;) {
          try {
            EXPECT_EQ(parts.local().value(), 7U);
            return;
          } catch (const std::runtime_error&) {
            ++caught;
          }
        }
      });
    });
    EXPECT_EQ(caught, 3);
    parts.clear();
    EXPECT_EQ(tracked::live(), 0);
    EXPECT_EQ(parts.local().value(), 7U);
  });
  EXPECT_EQ(tracked::live(), 0);
}

// Catches a part that replaces, or is put in the place of, the one of another thread: where it takes a construct to make
// one, the strand may come out on another thread.
TEST(per_worker, may_fork_to_make_a_part) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    sennit::per_worker<std::unique_ptr<counter>> parts([&] {
      sennit::join([] { std::this_thread::yield(); }, [] {});
      return std::make_unique<counter>();
    });
    std::atomic<int> shared{0};
    rt.run([&] {
      sennit::parallel_for(
          0, 200,
          [&](int) {
            if (!parts.local()->add()) ++shared;
          },
          sennit::grain(1));
    });
    long sum = 0;
    parts.for_each([&](const std::unique_ptr<counter>& c) { sum += c->count; });
    EXPECT_EQ(shared, 0);
    EXPECT_EQ(sum, 200);
  });
}

// Catches a value that is combined twice or not at all, and an empty one that is no T.
TEST(per_worker, combines_all_that_was_made) {
  under(all_settings(), [](sennit::runtime& rt) {
    sennit::per_worker<long> sums;
    EXPECT_EQ(sums.combine(std::plus<>()), 0);
    rt.run([&] { sennit::parallel_for(0L, 1000L, [&](long i) { sums.local() += i; }); });
    EXPECT_EQ(sums.combine(std::plus<>()), 499'500);
    EXPECT_EQ(sums.combine([](long& left, long right) { left += right; }), 499'500)
        << "combine() took something away";
  });
  sennit::per_worker likes(std::vector<int>{1, 2, 3});
  likes.local().push_back(4);
  std::thread([&] { likes.local().push_back(5); }).join();
  const std::vector<int> all = likes.combine([](std::vector<int>& left, const std::vector<int>& right) {
    left.insert(left.end(), right.begin(), right.end());
  });
  EXPECT_THAT(all, testing::UnorderedElementsAre(1, 2, 3, 4, 1, 2, 3, 5));
  sennit::per_worker<int> fives(5);
  EXPECT_EQ(fives.combine(std::plus<>()), 5);
  EXPECT_EQ(fives.local(), 5);
}

// Catches a T that has to be movable, or to be made without arguments.
struct engine {
  explicit engine(int s) : seed(s) {}
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  int seed;
};
struct user_of_engines {
  int seed = 9;
  sennit::per_worker<engine> engines{[this] { return engine(seed); }};
};
TEST(per_worker, takes_types_that_cannot_move) {
  user_of_engines user;
  EXPECT_EQ(user.engines.local().seed, 9);
  sennit::per_worker<std::atomic<int>> counts;
  EXPECT_EQ(++counts.local(), 1);
  EXPECT_EQ(++counts.local(), 2);
}

}  // namespace
}  // namespace sennit_test
