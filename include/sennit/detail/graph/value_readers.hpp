// SPDX-License-Identifier: Apache-2.0
// Who reads values, and how long values live because of that.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/node.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sennit::detail {

SENNIT_EXPORT [[noreturn]] SENNIT_COLD void throw_value_freed(const std::string& node,
                                                              const std::string& read);
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void throw_no_predecessor(const std::string& node,
                                                                 const std::string& read);

// The number of a value's readers, and whether it has been freed. The count is valid longer than the value:
// nodes that are created late count there, too.
class reader_count {
 public:
  // Before others know of the value: one holds it, who computed it.
  void begin() noexcept { count_ = 1; }
  // One more reader has been found. The value may have been freed; then the count has no effect.
  void add() noexcept { count().fetch_add(1, std::memory_order_relaxed); }
  // Who computed it has found these readers, and goes on holding it.
  void add(std::uint32_t readers) noexcept {
    if (readers != 0) count().fetch_add(readers, std::memory_order_relaxed);
  }
  // The same, but who computed it does not hold it any more. Returns true if the caller is to free the value.
  [[nodiscard]] bool add_last(std::uint32_t readers) noexcept {
    if (readers == 0) return remove();
    add(readers - 1);
    return false;
  }
  // Returns true if the caller is to free the value.
  [[nodiscard]] bool remove() noexcept {
    // ORD[D25] release: this reader has done with the value. Model: models/values.pml.
    if (count().fetch_sub(1, std::memory_order_release) != 1) return false;
    std::uint32_t none = 0;
    // ORD[D25] acquire: so have all others, and one that was created late, if it came and went meanwhile. One that is
    // there now frees it.
    return count().compare_exchange_strong(none, freed, std::memory_order_acquire, std::memory_order_relaxed);
  }
  // Whether the value has been freed, if the caller has counted itself as a reader.
  // Relaxed: a reader that counts keeps the value. A reader that came too late saw, before it counted, that
  // the value had been freed.
  bool is_freed() noexcept { return count().load(std::memory_order_relaxed) >= freed; }
  // Relaxed: a hint.
  bool is(std::uint32_t readers) noexcept { return count().load(std::memory_order_relaxed) == readers; }

 private:
  static constexpr std::uint32_t freed = std::uint32_t{1} << 31;  // plus readers that count without effect
  std::atomic_ref<std::uint32_t> count() noexcept { return std::atomic_ref<std::uint32_t>(count_); }
  std::uint32_t count_;
};

// Counts the nodes that have been made, and not explored, and the running nodes that create nodes. Any of the former, and any
// that the latter create, may turn out to read any value.
class unexplored_nodes {
 public:
  // Whether no reader is left to find. The answer is for the present: a running node may begin to create others.
  bool none() const noexcept {
    // ORD[D25] acquire: all that explorers noted; pairs with the releases below. Model: models/values.pml.
    return count_.load(std::memory_order_acquire) == 0;
  }
  // Whether nothing is left to explore at present.
  bool all_explored() const noexcept {
    // ORD[D25] acquire: as above.
    return nodes_in(count_.load(std::memory_order_acquire)) == 0;
  }
  // A running node is about to create nodes. What it creates may be explored and computed, with all below, before it creates
  // another one that reads that.
  void begin_creating() noexcept { count_.fetch_add(creator, std::memory_order_relaxed); }
  // A running node has created a node, which nobody can explore yet.
  void created() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void end_creating() noexcept {
    // ORD[D25] release: what the node has created, which counts as unexplored. Who then wants to know what others did asks
    // none(). Model: models/values.pml.
    count_.fetch_sub(creator, std::memory_order_release);
  }
  // A node has been explored, and all that its explorer noted of readers has been written. The explorer made
  // the nodes `made`, which nobody can explore before `give` gives them away. Returns true if nothing is left
  // to explore.
  template <class Give>
  bool explored(std::span<const node_number> made, Give&& give) {
    // Counted first: a node that is given away may be explored at once, with all that is below it.
    if (made.size() != 1) {
      const std::int64_t more = static_cast<std::int64_t>(made.size()) - 1;
      // ORD[D25] acq_rel: release: what this explorer noted of readers; acquire: what the others did. Model:
      // models/values.pml.
      if (nodes_in(count_.fetch_add(more, std::memory_order_acq_rel) + more) == 0) return true;
    }
    // In the order in which the node named them, as if a call explored each: the first is done next, and of
    // the others the latest given.
    if (!made.empty()) give(made.front());
    for (std::size_t i = made.size(); i > 1; --i) give(made[i - 1]);
    return false;
  }

 private:
  static constexpr std::int64_t creator = std::int64_t{1} << 32;  // the lower half is for nodes
  static std::uint32_t nodes_in(std::int64_t count) noexcept { return static_cast<std::uint32_t>(count); }
  std::atomic<std::int64_t> count_{1};  // the sink
};

// The nodes that a node reads, while it is computed. Each is in the list as often as the node names it.
class read_nodes {
 public:
  // A sum over the numbers of an answer of predecessors(): other answers have other sums.
  static std::uint32_t sum_of(std::span<const node_number> nodes) noexcept {
    std::uint32_t sum = static_cast<std::uint32_t>(nodes.size());
    for (std::uint64_t n : nodes) {
      n = (n + 1) * 0x9e3779b97f4a7c15;
      sum += static_cast<std::uint32_t>((n ^ n >> 29) * 0xbf58476d1ce4e5b9 >> 32);
    }
    return sum;
  }

  std::vector<node_number>& begin() noexcept {
    nodes_.clear();
    return nodes_;
  }
  // After the list has been filled.
  void fix() {
    if (nodes_.size() > few) sort();
  }
  void sort() {
    if (!std::ranges::is_sorted(nodes_)) std::ranges::sort(nodes_);
  }
  // Any number of threads may call it at once.
  bool has(node_number n) const noexcept {
    if (nodes_.size() <= few) return std::ranges::find(nodes_, n) != nodes_.end();
    return std::ranges::binary_search(nodes_, n);
  }
  std::span<const node_number> all() const noexcept { return nodes_; }

 private:
  static constexpr std::size_t few = 16;  // are searched one by one
  std::vector<node_number> nodes_;
};

}  // namespace sennit::detail
