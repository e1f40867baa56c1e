// What a strand of a crew still has to do.
#pragma once

#include <sennit/detail/config.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

namespace sennit::detail {

inline constexpr std::uint64_t all_colors = ~std::uint64_t{0};

// The color of the worker that runs the call, as a bit; all of them while no colored graph runs.
std::uint64_t own_color() noexcept;

// Moves the first `count` items of `from` to the end of `to`. False, and nothing happens, without memory.
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
class agenda {
 public:
  // For the strand that runs the call.
  static agenda here(agenda given) noexcept { return given; }

  void add(Item item) { items_.push_back(item); }
  bool empty() const noexcept { return items_.empty(); }
  std::size_t size() const noexcept { return items_.size(); }
  void clear() noexcept { items_.clear(); }
  Item take() noexcept {
    const Item latest = items_.back();
    items_.pop_back();
    return latest;
  }
  // What is added from here on is to be taken in the order of adding.
  using position = std::size_t;
  position mark() const noexcept { return items_.size(); }
  void reverse_since(position mark) noexcept {
    std::reverse(items_.begin() + static_cast<std::ptrdiff_t>(mark), items_.end());
  }
  // The older half, which tends to be more work.
  bool give(agenda& to, std::uint64_t) noexcept { return move_front(items_, (items_.size() + 1) / 2, to.items_); }
  // Back what was given.
  void put_back(agenda given) {
    if (!items_.empty()) given.items_.insert(given.items_.end(), items_.begin(), items_.end());
    items_.swap(given.items_);
  }
  static std::uint64_t colors() noexcept { return all_colors; }

 private:
  std::vector<Item> items_;
};

// Items of the worker's own color first: 002's spawn_colors, which orders branches by who comes to them. Of a kind the
// latest first.
template <class Item>
class colored_agenda {
 public:
  // Whoever comes to the items sorts them by his own color.
  static colored_agenda here(colored_agenda given) {
    colored_agenda sorted;
    sorted.own_ = own_color();
    sorted.put_back(std::move(given));
    return sorted;
  }

  void add(Item item) { (is_mine(item) ? mine_ : others_).push_back(item); }
  bool is_mine(const Item& item) const noexcept { return (item.colors & own_) != 0; }
  bool empty() const noexcept { return mine_.empty() && others_.empty(); }
  std::size_t size() const noexcept { return mine_.size() + others_.size(); }
  void clear() noexcept {
    mine_.clear();
    others_.clear();
  }
  Item take() noexcept {
    std::vector<Item>& from = mine_.empty() ? others_ : mine_;
    const Item latest = from.back();
    from.pop_back();
    return latest;
  }
  // As in agenda, of a color.
  struct position {
    std::size_t mine;
    std::size_t others;
  };
  position mark() const noexcept { return {mine_.size(), others_.size()}; }
  void reverse_since(position mark) noexcept {
    std::reverse(mine_.begin() + static_cast<std::ptrdiff_t>(mark.mine), mine_.end());
    std::reverse(others_.begin() + static_cast<std::ptrdiff_t>(mark.others), others_.end());
  }
  // What has been asked for; else half of the other colors, or of the items if there is only one. Else the older half of
  // what is the worker's own.
  bool give(colored_agenda& to, std::uint64_t asked) noexcept {
    if (others_.empty()) return move_front(mine_, (mine_.size() + 1) / 2, to.others_);
    std::uint64_t wanted = colors_of(others_) & asked;
    if (wanted == 0 || wanted == all_colors) wanted = upper_half(colors_of(others_));
    // None of them is any place's: then there is nothing to choose by.
    if (wanted == 0) return move_front(others_, (others_.size() + 1) / 2, to.others_);
    const auto middle = std::stable_partition(others_.begin(), others_.end(),
                                              [&](const Item& item) { return (item.colors & wanted) != 0; });
    return move_front(others_, static_cast<std::size_t>(middle - others_.begin()), to.others_);
  }
  void put_back(colored_agenda given) {
    if (empty() && given.own_ == own_) {
      mine_.swap(given.mine_);
      others_.swap(given.others_);
    }
    for (const Item& item : given.others_) add(item);
    for (const Item& item : given.mine_) add(item);
  }
  std::uint64_t colors() const noexcept { return colors_of(mine_) | colors_of(others_); }

 private:
  static std::uint64_t colors_of(const std::vector<Item>& items) noexcept {
    std::uint64_t all = 0;
    for (const Item& item : items) all |= item.colors;
    return all;
  }
  // The higher of the colors, as many as there are lower ones or one more.
  static std::uint64_t upper_half(std::uint64_t colors) noexcept {
    const int count = std::popcount(colors);
    for (int i = 0; i < count / 2; ++i) colors &= colors - 1;
    return colors;
  }

  std::uint64_t own_ = all_colors;
  std::vector<Item> mine_;
  std::vector<Item> others_;
};

}  // namespace sennit::detail
