// What nodes return, for as long as somebody may read it.
#pragma once

#include <sennit/detail/graph_node.hpp>
#include <sennit/detail/growing.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace sennit::detail {

[[noreturn]] SENNIT_COLD void throw_value_freed();

// A value is freed by its last reader. Who that is, is known once all nodes have been explored; until then every value is
// held by the strand that computed it. docs/protocols/graphs.md, "Values".
template <class Value>
class graph_values {
 public:
  graph_values() = default;
  graph_values(const graph_values&) = delete;
  graph_values& operator=(const graph_values&) = delete;
  ~graph_values() {
    if (kept_ != nobody && boxes_.has(kept_)) delete std::exchange(boxes_[kept_], nullptr);
    if (failed_) boxes_.for_each([](box*& b) { delete std::exchange(b, nullptr); });
  }

  template <class Make>
  void put(node_number n, Make&& make) {
    boxes_.ensure(n);
    boxes_[n] = new box(std::forward<Make>(make));
  }
  const Value& get(node_number n) {
    box* const b = boxes_[n];
    if (b == nullptr) throw_value_freed();
    return b->value;
  }
  Value take(node_number n) { return std::move(boxes_[n]->value); }
  // That of the sink is for the caller of the run.
  void keep(node_number n) noexcept { kept_ = n; }
  void fail() noexcept { failed_ = true; }

  // More nodes were made than explored.
  void made(std::int64_t count) noexcept {
    if (count == 0) return;
    // ORD[D25] acq_rel: all that explorers noted of readers is known to who finds that there is nothing left to explore.
    if (unexplored_.fetch_add(count, std::memory_order_acq_rel) + count == 0)
      explored_.store(true,
                      std::memory_order_release);  // ORD[D25] release: passes that on to hold() and leave().
  }
  // One more node will read it, and found it computed.
  void will_read(node_number n) noexcept { boxes_[n]->readers.fetch_add(1, std::memory_order_relaxed); }
  // The node has been computed, and so many wait for it. `held`: of this strand.
  void hold(node_number n, std::uint32_t readers, std::vector<node_number>& held) {
    boxes_[n]->readers.fetch_add(readers + (n == kept_ ? 1 : 0), std::memory_order_relaxed);
    held.push_back(n);
    // ORD[D25] acquire: pairs with the release in made().
    if (!explored_.load(std::memory_order_acquire)) return;
    for (const node_number h : held) release(h);
    held.clear();
  }
  void was_read(node_number n) noexcept { release(n); }
  // The strand ends.
  void leave(std::vector<node_number>& held) {
    if (held.empty()) return;
    const std::lock_guard guard(leaving_);
    left_.insert(left_.end(), held.begin(), held.end());
    // ORD[D25] acquire: pairs with the release in made().
    if (!explored_.load(std::memory_order_acquire)) return;
    for (const node_number h : left_) release(h);
    left_.clear();
  }

 private:
  struct box {
    template <class Make>
    explicit box(Make&& make) : value(std::forward<Make>(make)()) {}
    Value value;
    std::atomic<std::uint32_t> readers{1};  // the strand that holds it
  };

  void release(node_number n) noexcept {
    // ORD[D25] acq_rel: release: this reader has done with the value; acquire, for the last one: so have all others.
    if (boxes_[n]->readers.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete std::exchange(boxes_[n], nullptr);
  }

  growing<box*> boxes_;
  std::atomic<std::int64_t> unexplored_{1};  // the sink
  std::atomic<bool> explored_{false};
  std::mutex leaving_;
  std::vector<node_number> left_;  // by strands that ended; under leaving_
  node_number kept_ = nobody;
  bool failed_ = false;
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
