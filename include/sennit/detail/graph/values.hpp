// SPDX-License-Identifier: Apache-2.0
// The values of nodes, as long as a node may read them.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/alive.hpp>
#include <sennit/detail/graph/growing.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/value_readers.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// The last reader of a value frees it. Which reader is the last is known only after all nodes have been
// explored. Until then the strand that computed a value holds it. docs/protocols/graphs.md, "Values". Bounded: what is
// alive is counted.
template <class Value, bool Bounded>
class graph_values {
  struct nothing {};

 public:
  graph_values() = default;
  graph_values(const graph_values&) = delete;
  graph_values& operator=(const graph_values&) = delete;
  ~graph_values() {
    holder none;
    if (kept_ != nobody && slots_.has(kept_)) free(slots_[kept_], none);
    if (failed_) slots_.for_each([&](slot& s) { free(s, none); });
  }

  // What a strand holds: values that may get further readers, each as often as it counts there.
  class holder {
   public:
    holder() = default;
    // What the strand has freed since the last call.
    alive_amount take_freed() noexcept { return std::exchange(freed_, {}); }

   private:
    friend class graph_values;
    std::vector<node_number> held_;
    [[no_unique_address]] std::conditional_t<Bounded, alive_amount, nothing> freed_;
  };

  // Precondition: the node has been explored.
  template <class Make>
  void put(node_number n, Make&& make) {
    slots_[n].value = new box(std::forward<Make>(make));
    slots_[n].readers.begin();
  }
  // Null if the value was freed before the reading node was created. Precondition: the reading node is being
  // computed, and has been counted as a reader. Thread-safety: any number of threads may call it at once.
  const Value* get(node_number n) noexcept {
    return slots_[n].readers.is_freed() ? nullptr : &slots_[n].value->value;
  }
  Value take(node_number n) { return std::move(slots_[n].value->value); }

  // --- Of runs with a bound.
  // Before others know of the value.
  template <class BytesOf>
  void measure(node_number n, const BytesOf& bytes_of) {
    slots_[n].value->bytes = bytes_of(std::as_const(slots_[n].value->value));
  }
  // Precondition: the value has not been freed.
  alive_amount amount_of(node_number n) noexcept { return {.values = 1, .bytes = slots_[n].value->bytes}; }
  // Makes the plan of a node that has been made, for the one who made it.
  alive_plan& make_plan(node_number n) {
    slots_.ensure(n);
    return slots_[n].plan;
  }
  // It belongs to whoever has the node to explore or to compute.
  alive_plan& plan(node_number n) noexcept { return slots_[n].plan; }
  // What a node is going to free that reads these, in the order of their numbers. It may turn out to be more. Relaxed: a
  // hint.
  alive_amount frees(std::span<const node_number> read) noexcept {
    alive_amount freed;
    if (!unexplored_.none()) return freed;
    for (std::size_t i = 0, next = 0; i < read.size(); i = next) {
      while (next < read.size() && read[next] == read[i]) ++next;
      if (slots_[read[i]].readers.is(static_cast<std::uint32_t>(next - i))) freed += amount_of(read[i]);
    }
    return freed;
  }
  // Keeps the value of the sink for the caller of the run.
  void keep(node_number n) noexcept { kept_ = n; }
  void fail() noexcept { failed_ = true; }

  unexplored_nodes& unexplored() noexcept { return unexplored_; }
  // Whether a node may be computed now although its value may have to wait until all has been explored.
  // Relaxed: a bound for the number of values, not a promise of who sees what.
  bool has_room() const noexcept {
    return held_.load(std::memory_order_relaxed) < most_held || unexplored_.all_explored();
  }
  // The node is about to be explored, and these are its predecessors.
  void begin(node_number n, std::span<const node_number> predecessors) {
    slots_.ensure(n);
    slots_[n].answer = read_nodes::sum_of(predecessors);
  }
  // Whether the node has been explored with these predecessors.
  bool has_answered(node_number n, std::span<const node_number> predecessors) noexcept {
    return slots_[n].answer == read_nodes::sum_of(predecessors);
  }
  // The node that is being explored will read the value of this computed node.
  void will_read(node_number n) noexcept { slots_[n].readers.add(); }
  // The node has been computed, has read others, and `readers` nodes wait for it. `created`: it has created nodes, or tried to.
  // As long as a reader may be found, the strand holds what the node has read, too: nodes that have been created may read what
  // other created ones have read.
  void computed(node_number n, std::uint32_t readers, std::span<const node_number> read, bool created,
                holder& own) {
    if (n == kept_) ++readers;
    if (created) [[unlikely]]
      unexplored_.end_creating();
    if (unexplored_.none()) {
      if (slots_[n].readers.add_last(readers)) free(slots_[n], own);
      for (const node_number p : read) release(p, own);
      if (created) [[unlikely]]
        return leave(own);
      release_all(own.held_, own);
      return;
    }
    slots_[n].readers.add(readers);
    hold(std::span(&n, 1), own);
    hold(read, own);
  }
  // Called when a strand ends, or finds that nothing is left to explore. If nodes are unexplored, the held
  // values stay, and the first strand that calls it later releases them.
  void leave(holder& own) noexcept {
    const std::lock_guard guard(leaving_);
    if (unexplored_.none()) {
      release_all(left_, own);
      release_all(own.held_, own);
    } else if (left_.empty()) {
      left_.swap(own.held_);
    } else {
      leave_with_others(own.held_);
    }
  }

 private:
  struct box {
    template <class Make>
    explicit box(Make&& make) : value(std::forward<Make>(make)()) {}
    Value value;
    [[no_unique_address]] std::conditional_t<Bounded, std::size_t, nothing> bytes{};
  };
  struct slot {
    box* value;
    reader_count readers;
    std::uint32_t answer;  // a sum over the node's predecessors
    [[no_unique_address]] std::conditional_t<Bounded, alive_plan, nothing> plan;
  };

  // Each worker may be computing one more node at the time. With a bound, none is: what a strand alone needs is known
  // once all nodes have been explored.
  static constexpr std::size_t most_held = Bounded ? 0 : 1;

  static void free(slot& s, holder& by) noexcept {
    if constexpr (Bounded) {
      if (s.value != nullptr) by.freed_ += {.values = 1, .bytes = s.value->bytes};
    }
    delete std::exchange(s.value, nullptr);
  }
  void release(node_number n, holder& by) noexcept {
    if (slots_[n].readers.remove()) free(slots_[n], by);
  }
  void hold(std::span<const node_number> nodes, holder& own) {
    own.held_.insert(own.held_.end(), nodes.begin(), nodes.end());
    held_.fetch_add(nodes.size(), std::memory_order_relaxed);
  }
  void release_all(std::vector<node_number>& held, holder& by) noexcept {
    if (held.empty()) return;
    for (const node_number h : held) release(h, by);
    held_.fetch_sub(held.size(), std::memory_order_relaxed);
    held.clear();
  }
  void leave_with_others(std::vector<node_number>& held) noexcept {
#if SENNIT_EXCEPTIONS
    try {
      left_.insert(left_.end(), held.begin(), held.end());
    } catch (const std::exception&) {
      // Without memory, the values stay until the end of the run.
      failed_ = true;
    }
#else
    left_.insert(left_.end(), held.begin(), held.end());
#endif
    held.clear();
  }

  growing<slot> slots_;
  unexplored_nodes unexplored_;
  std::mutex leaving_;
  std::vector<node_number> left_;     // by strands that ended; under leaving_
  std::atomic<std::size_t> held_{0};  // by all strands together
  node_number kept_ = nobody;
  bool failed_ = false;  // the remaining values are freed at the end of the run
};

struct no_values {};

template <>
class graph_values<void, false> {
 public:
  struct holder {};
  static void leave(holder&) noexcept {}
  static void keep(node_number) noexcept {}
  static void fail() noexcept {}
};

}  // namespace sennit::detail
