// The items that a strand of a work pool still has to do.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

namespace sennit::detail {

// Moves the first `count` items of `from` to the end of `to`. Returns false without any effect if there is
// no memory.
template <class Item>
bool move_front(std::vector<Item>& from, std::size_t count, std::vector<Item>& to) noexcept {
  const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
#if SENNIT_EXCEPTIONS
  try {
    to.insert(to.end(), from.begin(), end);
  } catch (const std::exception&) {
    return false;
  }
#else
  to.insert(to.end(), from.begin(), end);
#endif
  from.erase(from.begin(), end);
  return true;
}

// The latest item first.
template <class Item>
class local_queue {
 public:
  void add(Item item) { items_.push_back(item); }
  bool empty() const noexcept { return items_.empty(); }
  std::size_t size() const noexcept { return items_.size(); }
  void clear() noexcept { items_.clear(); }
  void add_all(std::vector<Item>& items) {
    if (items_.empty()) {
      items_.swap(items);
    } else {
      items_.insert(items_.end(), items.begin(), items.end());
    }
  }
  Item take() noexcept {
    const Item latest = items_.back();
    items_.pop_back();
    return latest;
  }
  // Items added after this position must be taken in the order in which they were added.
  using position = std::size_t;
  position mark() const noexcept { return items_.size(); }
  void reverse_since(position mark) noexcept {
    std::reverse(items_.begin() + static_cast<std::ptrdiff_t>(mark), items_.end());
  }
  // Gives away the older half, which tends to be more work.
  bool give(local_queue& to) noexcept { return move_front(items_, (items_.size() + 1) / 2, to.items_); }
  // Takes back the items that were given away.
  void put_back(local_queue given) {
    if (!items_.empty()) given.items_.insert(given.items_.end(), items_.begin(), items_.end());
    items_.swap(given.items_);
  }
  static color_set colors() noexcept { return all_colors; }

 protected:
  std::vector<Item> items_;
};

// A queue of items that have colors.
template <class Item>
class colored_local_queue : public local_queue<Item> {
 public:
  color_set colors() const noexcept {
    color_set all = 0;
    for (const Item& item : this->items_) all |= item.colors;
    return all;
  }
};

}  // namespace sennit::detail
