// SPDX-License-Identifier: Apache-2.0
// Branch and bound over items that are about equally good, with next to nothing in a call. A way has
//   join(f, g)   f() and g(), at once if it likes
// and, where a grain is set by hand, serial calls for so many items and fewer.
// The best load found so far cuts branches, so with several workers more or less is searched than by one.
#pragma once

#include "common/coarse_way.hpp"
#include "common/loops.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace knapsack {

struct item {
  std::int64_t weight;
  std::int64_t value;
};

class search {
 public:
  explicit search(std::uint64_t count) {
    bench::random_numbers random(1);
    std::int64_t total = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t weight = 1000 + 2 * static_cast<std::int64_t>(random.below(100));
      items_.push_back({weight, weight + 100});
      total += weight;
    }
    std::sort(items_.begin(), items_.end(),
              [](const item& a, const item& b) { return a.value * b.weight > b.value * a.weight; });
    capacity_ = total / 2;
  }

  template <class Way>
  std::uint64_t best() {
    visit<Way>(*this, 0, capacity_, 0);
    return static_cast<std::uint64_t>(best_.load(std::memory_order_relaxed));
  }

 private:
  template <class Way>
  SENNIT_BENCH_NOINLINE static void visit(search& all, std::size_t next, std::int64_t room,
                                          std::int64_t value) {
    if constexpr (requires { Way::small(next); }) {
      if (Way::small(all.items_.size() - next)) return visit<typename Way::serial>(all, next, room, value);
    }
    all.raise_best(value);
    while (next != all.items_.size() && all.items_[next].weight > room) ++next;
    if (next == all.items_.size()) return;
    const item i = all.items_[next];
    // What is left could at best be as good as the next item.
    if ((value - all.best_.load(std::memory_order_relaxed)) * i.weight + room * i.value <= 0) return;
    ++next;
    Way::join([&all, next, room, value, i] { visit<Way>(all, next, room - i.weight, value + i.value); },
              [&all, next, room, value] { visit<Way>(all, next, room, value); });
  }

  void raise_best(std::int64_t value) {
    std::int64_t best = best_.load(std::memory_order_relaxed);
    while (value > best && !best_.compare_exchange_weak(best, value, std::memory_order_relaxed)) {
    }
  }

  std::vector<item> items_;
  std::int64_t capacity_ = 0;
  std::atomic<std::int64_t> best_{0};
};

template <class Way>
int run(bench::program& program) {
  Way way(program);
  return program.run([&](std::uint64_t items) {
    std::uint64_t best = 0;
    way.enter([&] { best = search(items).best<Way>(); });
    return best;
  });
}

}  // namespace knapsack
