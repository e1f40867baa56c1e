// The items of a graph whose nodes have values: what is unexplored comes first.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/local_queue.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace sennit::detail {

// Values live until the graph has been explored, so a strand explores what it has before it computes what is
// ready. Then it computes depth first: what a computed node has released, the latest first, and else the next
// of those that were ready when they were explored.
template <class Item>
class explored_first_queue {
 public:
  void add(Item item) { (item.step().is_ready() ? released_ : unexplored_).push_back(item); }
  void add_ready_when_explored(Item item) { first_.push_back(item); }
  void add_all(std::vector<Item>& items) {
    for (const Item& item : items) add(item);
    items.clear();
  }
  bool empty() const noexcept { return unexplored_.empty() && !has_ready(); }
  bool has_unexplored() const noexcept { return !unexplored_.empty(); }
  std::size_t size() const noexcept { return unexplored_.size() + released_.size() + first_.size(); }
  void clear() noexcept {
    unexplored_.clear();
    released_.clear();
    first_.clear();
  }
  Item take() noexcept {
    if (!unexplored_.empty()) return take_latest(unexplored_);
    if (released_.empty()) {
      released_.swap(first_);
      std::ranges::reverse(released_);
    }
    return take_latest(released_);
  }
  // Moves all that is ready to the end of `to`, which gets it in the order in which add() wants it.
  void take_ready(std::vector<Item>& to) {
    to.reserve(to.size() + first_.size() + released_.size());
    to.insert(to.end(), first_.rbegin(), first_.rend());
    to.insert(to.end(), released_.begin(), released_.end());
    first_.clear();
    released_.clear();
  }
  // Gives away the half that would be taken last.
  bool give(explored_first_queue& to) noexcept {
    if (!unexplored_.empty()) return move_front(unexplored_, (unexplored_.size() + 1) / 2, to.unexplored_);
    if (first_.empty()) return move_front(released_, (released_.size() + 1) / 2, to.released_);
    std::ranges::reverse(first_);
    const bool given = move_front(first_, (first_.size() + 1) / 2, to.first_);
    std::ranges::reverse(first_);
    std::ranges::reverse(to.first_);
    return given;
  }
  // Takes back the items that were given away.
  void put_back(explored_first_queue given) {
    put_before(unexplored_, given.unexplored_);
    put_before(released_, given.released_);
    first_.insert(first_.end(), given.first_.begin(), given.first_.end());
  }
  color_set colors() const noexcept {
    if constexpr (requires(const Item& i) { i.colors; }) {
      color_set all = 0;
      for (const auto* items : {&unexplored_, &released_, &first_}) {
        for (const Item& item : *items) all |= item.colors;
      }
      return all;
    }
    return all_colors;
  }

 private:
  bool has_ready() const noexcept { return !released_.empty() || !first_.empty(); }
  static Item take_latest(std::vector<Item>& items) noexcept {
    const Item latest = items.back();
    items.pop_back();
    return latest;
  }
  static void put_before(std::vector<Item>& items, std::vector<Item>& given) {
    given.insert(given.end(), items.begin(), items.end());
    items.swap(given);
  }

  std::vector<Item> unexplored_;  // the latest is taken first
  std::vector<Item> released_;    // likewise
  std::vector<Item> first_;       // ready when they were explored; the first is taken first
};

// What is ready, while too many values wait for the end of the exploration. Whoever finds that end takes it.
template <class Item>
class ready_later {
 public:
  // Takes what is ready from the queue. Returns false without any effect if `is_over()`.
  template <class Queue, class Over>
  bool put(Queue& from, const Over& is_over) {
    const std::lock_guard guard(mutex_);
    if (is_over()) return false;
    from.take_ready(items_);
    return true;
  }
  // Called after is_over() has become true. What it returns is nobody else's.
  std::vector<Item> take() {
    const std::lock_guard guard(mutex_);
    return std::exchange(items_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Item> items_;
};

}  // namespace sennit::detail
