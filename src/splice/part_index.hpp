// The parts of a sequence, found by what they use: a tree of hulls over neighboring parts.
#pragma once

#include "splice/hulls.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::detail {

struct live_call;

class part_index {
 public:
  // first: the position of the first part that will be added.
  explicit part_index(std::uint32_t first) noexcept : first_(first) {}

  // The position of the next part that will be added.
  std::uint32_t end() const noexcept { return first_ + static_cast<std::uint32_t>(parts_.size()); }
  // Gets memory for the next part. Throws std::bad_alloc; the index is then as before.
  void reserve();
  // Adds the part at end(), which may have ended: null. Call reserve() before.
  void add(live_call* part, const hulls& used) noexcept;
  // The part has ended.
  void remove(std::uint32_t position) noexcept;
  // Null if the part has ended, or has not been added.
  live_call* at(std::uint32_t position) const noexcept {
    return position >= first_ && position < end() ? parts_[position - first_] : nullptr;
  }
  // Calls use(part) for all parts at positions [from, to) that may interfere with `with`, and for some others, the last
  // part first. It ends when use() returns true, and then returns true. Counts the comparisons in `checks`.
  template <class Use>
  bool find(const hulls& with, std::uint32_t from, std::uint32_t to, std::uint64_t& checks, Use&& use) const {
    if (parts_.empty()) return false;
    const range wanted{from > first_ ? from - first_ : 0, (to < end() ? to : end()) - first_};
    const std::size_t top = levels_.size() - (levels_.back().empty() ? 2 : 1);
    return find(top, 0, with, wanted, checks, use);
  }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  // Neighboring parts that are compared together at first.
  static constexpr std::size_t together = 4;
  struct range {
    std::size_t first;
    std::size_t last;
  };
  static constexpr std::size_t span(std::size_t level) noexcept { return together << level; }

  template <class Use>
  bool find(std::size_t level, std::size_t node, const hulls& with, range wanted, std::uint64_t& checks,
            Use& use) const {
    const std::size_t begin = node * span(level);
    if (begin >= wanted.last || begin + span(level) <= wanted.first) return false;
    const hulls& of_node = levels_[level][node];
    if (of_node.empty()) return false;
    ++checks;
    if (!of_node.interferes(with)) return false;
    if (level > 0) {
      return (2 * node + 1 < levels_[level - 1].size() &&
              find(level - 1, 2 * node + 1, with, wanted, checks, use)) ||
             find(level - 1, 2 * node, with, wanted, checks, use);
    }
    for (std::size_t i = std::min(begin + together, wanted.last); i-- > std::max(begin, wanted.first);) {
      if (parts_[i] != nullptr && use(*parts_[i])) return true;
    }
    return false;
  }
  void count_bytes() noexcept;

  std::uint32_t first_;
  std::size_t bytes_ = 0;
  std::vector<live_call*> parts_;
  std::vector<std::vector<hulls>>
      levels_;  // each node covers two of the level before; one node is the last level
};

}  // namespace sennit::detail
