// The values of nodes, as long as a node may read them.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/growing.hpp>
#include <sennit/detail/graph/node.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace sennit::detail {

SENNIT_EXPORT [[noreturn]] SENNIT_COLD void throw_value_freed();

// The last reader of a value frees it. Which reader is the last is known only after all nodes have been
// explored. Until then the strand that computed a value holds it. docs/protocols/graphs.md, "Values".
template <class Value>
class graph_values {
 public:
  graph_values() = default;
  graph_values(const graph_values&) = delete;
  graph_values& operator=(const graph_values&) = delete;
  ~graph_values() {
    if (kept_ != nobody && slots_.has(kept_)) free(slots_[kept_]);
    if (failed_) slots_.for_each([](slot& s) { free(s); });
  }

  template <class Make>
  void put(node_number n, Make&& make) {
    slots_.ensure(n);
    slots_[n].value = new box(std::forward<Make>(make));
    slots_[n].readers = 1;  // the strand that holds it
  }
  // Precondition: the node has been computed, or never will be. Thread-safety: any number of threads may
  // call it at once.
  const Value& get(node_number n) {
    // Relaxed: a reader that counts keeps the value. A reader that came too late saw, before it counted,
    // that the value had been freed.
    if (n == nobody || !slots_.has(n) || slots_[n].readers_now() >= freed || slots_[n].value == nullptr)
      throw_value_freed();
    return slots_[n].value->value;
  }
  Value take(node_number n) { return std::move(slots_[n].value->value); }
  // Keeps the value of the sink for the caller of the run.
  void keep(node_number n) noexcept { kept_ = n; }
  void fail() noexcept { failed_ = true; }

  // More nodes have been made than explored.
  void made(std::int64_t count) noexcept {
    // ORD[D25] acq_rel: all that explorers noted of readers is known to the strand that finds nothing left to
    // explore.
    if (count != 0) unexplored_.fetch_add(count, std::memory_order_acq_rel);
  }
  // One more node will read the value of this computed node. If the reader was created late, the value may
  // have been freed; the count then has no effect.
  void will_read(node_number n) noexcept { slots_[n].count().fetch_add(1, std::memory_order_relaxed); }
  // The node has been computed, and `readers` nodes wait for it. `held`: the values that this strand holds.
  void hold(node_number n, std::uint32_t readers, std::vector<node_number>& held) {
    slots_[n].count().fetch_add(readers + (n == kept_ ? 1 : 0), std::memory_order_relaxed);
    held.push_back(n);
    if (all_explored()) release_all(held);
  }
  void was_read(node_number n) noexcept { release(n); }
  // Called when a strand ends. If nodes are still unexplored, the held values stay, and the first strand
  // that ends later releases them.
  void leave(std::vector<node_number>& held) noexcept {
    const std::lock_guard guard(leaving_);
    if (all_explored()) {
      release_all(left_);
      release_all(held);
    } else if (left_.empty()) {
      left_.swap(held);
    } else {
      leave_with_others(held);
    }
  }

 private:
  struct box {
    template <class Make>
    explicit box(Make&& make) : value(std::forward<Make>(make)()) {}
    Value value;
  };
  // The count is valid longer than the value: nodes that are created late count there, too.
  struct slot {
    box* value;
    std::uint32_t readers;

    std::atomic_ref<std::uint32_t> count() noexcept { return std::atomic_ref<std::uint32_t>(readers); }
    std::uint32_t readers_now() noexcept { return count().load(std::memory_order_relaxed); }
  };
  static constexpr std::uint32_t freed = std::uint32_t{1} << 31;  // plus readers that count without effect

  // The answer is for the present: a running node may create others.
  bool all_explored() const noexcept {
    // ORD[D25] acquire: pairs with the release in made().
    return unexplored_.load(std::memory_order_acquire) == 0;
  }
  static void free(slot& s) noexcept { delete std::exchange(s.value, nullptr); }

  void release(node_number n) noexcept {
    slot& s = slots_[n];
    // ORD[D25] acq_rel: release: this reader has done with the value; acquire, for the last one: so have all
    // others.
    if (s.count().fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    std::uint32_t none = 0;
    // ORD[D25] acquire: so has one that was created late, if it came and went meanwhile. One that is there
    // now frees it.
    if (s.count().compare_exchange_strong(none, freed, std::memory_order_acquire, std::memory_order_relaxed))
      free(s);
  }
  void release_all(std::vector<node_number>& held) noexcept {
    for (const node_number h : held) release(h);
    held.clear();
  }
  void leave_with_others(const std::vector<node_number>& held) noexcept {
#if SENNIT_EXCEPTIONS
    try {
      left_.insert(left_.end(), held.begin(), held.end());
    } catch (...) {
      // Without memory, the values stay until the end of the run.
      failed_ = true;
    }
#else
    left_.insert(left_.end(), held.begin(), held.end());
#endif
  }

  growing<slot> slots_;
  std::atomic<std::int64_t> unexplored_{1};  // the sink
  std::mutex leaving_;
  std::vector<node_number> left_;  // by strands that ended; under leaving_
  node_number kept_ = nobody;
  bool failed_ = false;  // the remaining values are freed at the end of the run
};

template <>
class graph_values<void> {
 public:
  static void made(std::int64_t) noexcept {}
  static void will_read(node_number) noexcept {}
  static void leave(std::vector<node_number>&) noexcept {}
  static void keep(node_number) noexcept {}
  static void fail() noexcept {}
};

}  // namespace sennit::detail
