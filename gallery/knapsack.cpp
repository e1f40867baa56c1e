// SPDX-License-Identifier: Apache-2.0
// knapsack: the most valuable choice of items that a sack can carry, by branch and bound. The branches share
// the best value found so far, so how much is searched depends on the order of events; the answer does not.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/splitmix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

struct item {
  std::int64_t weight;
  std::int64_t value;
};

class search {
 public:
  search(const std::vector<item>& items, std::int64_t capacity) : items_(items), capacity_(capacity) {}

  template <class P>
  std::int64_t best() {
    visit<P>(0, capacity_, 0);
    return best_.load(std::memory_order_relaxed);
  }

 private:
  template <class P>
  void visit(std::size_t next, std::int64_t room, std::int64_t value) {
    raise_best(value);
    if (next == items_.size() || value + bound(next, room) <= best_.load(std::memory_order_relaxed)) return;
    if (items_[next].weight > room) return visit<P>(next + 1, room, value);
    P::join([=, this] { visit<P>(next + 1, room - items_[next].weight, value + items_[next].value); },
            [=, this] { visit<P>(next + 1, room, value); });
  }

  void raise_best(std::int64_t value) {
    std::int64_t best = best_.load(std::memory_order_relaxed);
    while (value > best && !best_.compare_exchange_weak(best, value, std::memory_order_relaxed)) {
    }
  }

  // What the room could carry if items could be cut; they are sorted by value per weight.
  std::int64_t bound(std::size_t next, std::int64_t room) const {
    std::int64_t value = 0;
    for (; next != items_.size(); ++next) {
      if (items_[next].weight > room) return value + items_[next].value * room / items_[next].weight;
      room -= items_[next].weight;
      value += items_[next].value;
    }
    return value;
  }

  const std::vector<item>& items_;
  const std::int64_t capacity_;
  std::atomic<std::int64_t> best_{0};
};

// The answer by another method: row by row over all capacities.
std::int64_t best_by_table(const std::vector<item>& items, std::int64_t capacity) {
  std::vector<std::int64_t> best(static_cast<std::size_t>(capacity) + 1);
  for (const item& i : items) {
    const auto weight = static_cast<std::size_t>(i.weight);
    for (std::size_t room = best.size(); room-- > weight;)
      best[room] = std::max(best[room], best[room - weight] + i.value);
  }
  return best.back();
}

struct program {
  static constexpr description about{.name = "knapsack",
                                     .summary = "the best load of a sack, by branch and bound"};

  std::int64_t count = 26;
  std::int64_t seed = 1;
  std::vector<item> items;
  std::int64_t capacity = 0;

  std::vector<parameter> parameters() {
    return {{"items", "number of items", &count, 1, 36}, {"seed", "which instance", &seed, 0, 1e9}};
  }
  void choose_demo() { count = 28; }

  // Items that are about equally good make the bound weak, and the search twice as long with each of them.
  void prepare() {
    items.clear();
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t random = splitmix64(static_cast<std::uint64_t>(seed * 1000 + i));
      const std::int64_t weight = 1000 + 2 * static_cast<std::int64_t>(random % 100);
      items.push_back({weight, weight + 100});
      total += weight;
    }
    std::sort(items.begin(), items.end(),
              [](const item& a, const item& b) { return a.value * b.weight > b.value * a.weight; });
    capacity = total / 2 | 1;
  }

  template <class P>
  std::int64_t run() const {
    return search(items, capacity).template best<P>();
  }

  std::string complaint(std::int64_t result) const {
    const std::int64_t right = best_by_table(items, capacity);
    return result == right ? "" : fmt::format("the best load is worth {}, not {}", right, result);
  }

  std::string describe(std::int64_t result) const {
    return fmt::format("{} items, room for {}: the best load is worth {}", items.size(), capacity, result);
  }
};

}  // namespace

std::unique_ptr<kernel> make_knapsack() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
