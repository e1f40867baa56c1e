// SPDX-License-Identifier: Apache-2.0
// What a group that is fed keeps: closures and frames of children, and what they add to reducers, follow what is alive.
#include "random_program.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace sennit_test {
namespace {

using sennit::task_group;

#if defined(__GLIBC__) && !SENNIT_TSAN && !SENNIT_ASAN
std::size_t bytes_in_use() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#else
std::size_t bytes_in_use() { return 0; }
#endif

// What lives while a group is fed: closures, and memory.
struct living {
  static constexpr std::int64_t most = 4000;
  std::size_t before = bytes_in_use();
  std::atomic<bool> too_many{false};

  void look() {
    if (tracked::live() > most) too_many = true;
  }
  void expect_few() const {
    EXPECT_FALSE(too_many);
    EXPECT_LT(bytes_in_use(), before + (8U << 20));
  }
};

// Catches: closures and frames that are kept until wait(), for whoever spawns.
TEST(FedGroup, KeepsOnlyWhatLives) {
  const auto child = [](task_group& g, living& l) {
    g.spawn([held = tracked(1)] {});
    l.look();
  };
  const std::vector<std::function<void(task_group&, living&, int)>> producers{
      [&](task_group& g, living& l, int n) {
        for (int i = 0; i < n; ++i) child(g, l);
      },
      [&](task_group& g, living& l, int n) {
        g.spawn([&child, &g, &l, n] {
          for (int i = 0; i < n; ++i) child(g, l);
        });
      },
      [&](task_group& g, living& l, int n) { sennit::parallel_for(0, n, [&](int) { child(g, l); }); },
      [&](task_group& g, living& l, int n) {
        sennit::reducer<int> sum;
        for (int i = 0; i < n; ++i) {
          g.spawn([&sum, held = tracked(1)] { ++*sum; });
          l.look();
        }
        g.wait();
        EXPECT_EQ(sum.value(), n);
      },
      [&](task_group& g, living& l, int n) {
        std::vector<task_group> other(1);
        for (int i = 0; i < n; ++i) child(other[0], l);
        child(g, l);
      },
  };
  under(settings({1, 2, 8}), [&](sennit::runtime& rt) {
    for (const auto& produce : producers) {
      living l;
      rt.run([&] {
        task_group g;
        produce(g, l, scaled(100000));
        l.expect_few();
        g.wait();
      });
    }
    EXPECT_EQ(tracked::live(), 0);
  });
}

void chain(task_group& g, living& l, int n) {
  l.look();
  if (n > 0) g.spawn([&g, &l, n, held = tracked(1)] { chain(g, l, n - 1); });
}

// Catches: a child for each of those before it, on the stack or in memory.
TEST(FedGroup, OfAChain) {
  under(settings({1, 2, 8}), [&](sennit::runtime& rt) {
    for (const bool crowded : {false, true}) {
      living l;
      rt.run([&] {
        std::vector<task_group> groups(1);
        task_group near;
        for (task_group* const g : {&near, groups.data()}) {
          // Others wait to be taken, so that the links run at once.
          for (int i = 0; crowded && i < 600; ++i) g->spawn([] {});
          chain(*g, l, crowded ? scaled(20000) : scaled(100000));
          g->wait();
        }
      });
      if (!crowded) l.expect_few();
    }
  });
}

// A sum that knows how many of its kind live.
struct counted_sum {
  static inline std::atomic<std::int64_t> live{0};
  static inline std::atomic<std::int64_t> most{0};
  std::int64_t sum = 0;

  counted_sum() { came(); }
  counted_sum(counted_sum&& other) noexcept : sum(other.sum) { came(); }
  counted_sum& operator=(counted_sum&& other) noexcept = default;
  ~counted_sum() { --live; }

 private:
  static void came() {
    const std::int64_t now = ++live;
    std::int64_t seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
  }
};
struct adding {
  counted_sum identity() const { return {}; }
  void operator()(counted_sum& left, counted_sum&& right) const { left.sum += right.sum; }
};
using counting = sennit::reducer<counted_sum, adding>;

void counted_walk(task_group& g, counting& nodes, int depth) {
  for (int i = 0; i < 4 && depth > 0; ++i) {
    nodes->sum += 0;
    g.spawn([&g, &nodes, depth] { counted_walk(g, nodes, depth - 1); });
  }
  ++nodes->sum;
}

void counted_chain(task_group& g, counting& nodes, bool before, bool after, int n) {
  if (before) ++nodes->sum;
  if (n > 1) g.spawn([&g, &nodes, before, after, n] { counted_chain(g, nodes, before, after, n - 1); });
  if (after) ++nodes->sum;
}

// Catches: views that are kept until wait(), one for each child that has ended; and time in the square of the children,
// as each of them goes through the views of those before it.
TEST(FedGroup, KeepsOfReducersWhatLives) {
  const int n = scaled(20000);
  struct shape {
    std::function<void(task_group&, counting&)> feed;
    std::int64_t nodes;
  };
  const auto flat = [](task_group& g, counting& nodes) {
    for (int i = 0; i < scaled(20000); ++i) g.spawn([&nodes] { ++nodes->sum; });
  };
  const std::vector<shape> shapes{
      {flat, n},
      {[&](task_group& g, counting& nodes) { g.spawn([&] { flat(g, nodes); }); }, n},
      {[&](task_group& g, counting& nodes) {
         sennit::parallel_for(0, n, [&](int) { g.spawn([&nodes] { ++nodes->sum; }); });
       },
       n},
      {[&](task_group& g, counting& nodes) { counted_walk(g, nodes, 6); }, 5461},
      {[&](task_group& g, counting& nodes) { counted_chain(g, nodes, true, false, n); }, n},
      {[&](task_group& g, counting& nodes) { counted_chain(g, nodes, false, true, n); }, n},
      {[&](task_group& g, counting& nodes) { counted_chain(g, nodes, true, true, n); }, 2 * n},
  };
  under(settings({1, 2, 8}), [&](sennit::runtime& rt) {
    for (const shape& s : shapes) {
      const auto fed = [&] {
        counting nodes;
        task_group g;
        s.feed(g, nodes);
        g.wait();
        EXPECT_EQ(nodes.value().sum, s.nodes);
      };
      counted_sum::most = 0;
      rt.run(fed);
      fed();
      EXPECT_LT(counted_sum::most, 2500) << "shape " << &s - shapes.data();
    }
  });
  EXPECT_EQ(counted_sum::live, 0);
}

// Not scaled for sanitizers: a strand keeps up to some 300 ended children before it looks at them.
constexpr int feeding = 1000;

void stepwise(task_group& g, counting& nodes, std::atomic<int>& ran, int link) {
  g.spawn([&] {
    ++nodes->sum;
    ++ran;
  });
  while (ran < link) std::this_thread::yield();
  if (link < feeding) g.spawn([&, link] { stepwise(g, nodes, ran, link + 1); });
}

// Catches: views of children that have ended before the one that spawned them, which adds nothing itself.
TEST(FedGroup, KeepsNothingOfEndedChildrenOfChildren) {
  sennit::runtime rt({.workers = 3});
  rt.run([&] {
    counting nodes;
    task_group g;
    std::atomic<int> ran{0};
    counted_sum::most = 0;
    g.spawn([&] { stepwise(g, nodes, ran, 1); });
    g.wait();
    EXPECT_EQ(nodes.value().sum, feeding);
  });
  EXPECT_LT(counted_sum::most, feeding / 3);
}

struct counted_failure {
  static inline std::atomic<int> live{0};
  static inline std::atomic<int> most{0};
  counted_failure() { came(); }
  counted_failure(const counted_failure&) { came(); }
  counted_failure& operator=(const counted_failure&) = default;
  ~counted_failure() { --live; }

 private:
  static void came() {
    const int now = ++live;
    int seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
  }
};

// Catches: exceptions that are kept although an earlier one is known.
TEST(FedGroup, KeepsTheFirstExceptionOnly) {
  sennit::runtime rt({.workers = 3});
  rt.run([&] {
    task_group g;
    std::atomic<int> ran{0};
    g.spawn([&] {
      for (int i = 1; i <= feeding; ++i) {
        g.spawn([&] {
          ++ran;
          throw counted_failure();
        });
        while (ran < i) std::this_thread::yield();
      }
    });
    EXPECT_THROW(g.wait(), counted_failure);
  });
  EXPECT_LT(counted_failure::most, feeding / 3);
  EXPECT_EQ(counted_failure::live, 0);
}

}  // namespace
}  // namespace sennit_test
