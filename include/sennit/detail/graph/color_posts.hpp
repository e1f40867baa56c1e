// SPDX-License-Identifier: Apache-2.0
// Where items wait for workers of their colors.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace sennit::detail {

// A box for each color. An item is in the box of one of its colors until a strand takes it. The strand that
// posts an item makes sure that the item is taken: docs/protocols/graphs.md, "Colors".
template <class Item>
class color_posts : public posted_work {
 public:
  using posted_work::posted_work;

  // Precondition: the item has a color. Throws std::bad_alloc.
  void post(const Item& item) {
    const auto color = static_cast<unsigned>(std::countr_zero(item.colors));
    box& to = boxes_[color];
    const std::lock_guard guard(to.lock);
    to.items.push_back(item);
    if (to.items.size() == 1) this->waiting_.fetch_or(std::uint64_t{1} << color, std::memory_order_relaxed);
  }
  // All items of the first of these colors that has some. Returns none if other strands were faster.
  std::vector<Item> take(std::uint64_t colors) noexcept {
    const std::uint64_t there = waiting() & colors;
    if (there == 0) return {};
    const auto color = static_cast<unsigned>(std::countr_zero(there));
    box& from = boxes_[color];
    const std::lock_guard guard(from.lock);
    waiting_.fetch_and(~(std::uint64_t{1} << color), std::memory_order_relaxed);
    return std::exchange(from.items, {});
  }

 private:
  struct alignas(64) box {
    std::mutex lock;
    std::vector<Item> items;
  };
  box boxes_[most_colors];
};

}  // namespace sennit::detail
