// SPDX-License-Identifier: Apache-2.0
// A bound for what is alive in a run of a graph with values. docs/protocols/graphs.md, "A bound for values".
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/node.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace sennit::detail {

struct alive_amount {
  std::size_t values = 0;
  std::size_t bytes = 0;

  alive_amount& operator+=(const alive_amount& a) noexcept {
    values += a.values;
    bytes += a.bytes;
    return *this;
  }
  alive_amount& operator-=(const alive_amount& a) noexcept {
    values -= a.values;
    bytes -= a.bytes;
    return *this;
  }
  // What is left of it after so much has gone: zero at least.
  alive_amount without(const alive_amount& a) const noexcept {
    return {.values = values - std::min(values, a.values), .bytes = bytes - std::min(bytes, a.bytes)};
  }
};

// What a run knows of a node before the node ends. All zero until then.
struct alive_plan {
  // Nodes in the order in which one strand alone would compute them. What only this node needs comes within the width.
  std::uint64_t order;
  std::uint64_t width;
  // From the end of the graph. In long chains, numbers for the order run out: then a deeper node comes first.
  std::uint32_t depth;
  std::uint32_t kept;  // so many values are alive when one strand alone begins what this node needs first
  bool admitted;
  bool reads;
  alive_amount reserved;  // for the node's value

  // What a node made that was explored: `index` of `count`, and `kept_before` of the node's predecessors come before.
  void follow(const alive_plan& maker, std::size_t index, std::size_t count,
              std::size_t kept_before) noexcept {
    width = maker.width / count;
    order = maker.order + index * width;
    depth = maker.depth + 1;
    kept = maker.kept + static_cast<std::uint32_t>(kept_before);
  }
};

inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// Throws std::invalid_argument for a bound that nothing keeps.
SENNIT_EXPORT SENNIT_COLD void check_alive(std::size_t values, std::size_t bytes, bool has_bytes_of);
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void throw_no_bound(long long values);

// Which nodes may begin. A node whose value would be one too many waits here. Item: what is put into local queues.
template <class Item>
class alive_bound {
 public:
  explicit alive_bound(const alive_amount& most) noexcept : most_(most) {}

  static void begin_order(alive_plan& sink) noexcept {
    sink.width = std::numeric_limits<std::uint64_t>::max();
  }
  // One strand alone has so many values beside that of a node.
  void note_kept(std::uint32_t kept) noexcept {
    std::size_t most = needed_.load(std::memory_order_relaxed);
    const std::size_t needed = std::size_t{kept} + 1;
    // Relaxed: a bound for the number of values, not a promise of who sees what.
    while (most < needed && !needed_.compare_exchange_weak(most, needed, std::memory_order_relaxed)) {
    }
  }

  // A node that reads these is about to begin. Returns false if it waits here. `frees`: what it is going to free.
  // Throws std::bad_alloc.
  bool begin(const Item& item, alive_plan& plan, std::span<const node_number> read,
             const alive_amount& frees) {
    if (plan.admitted) return true;
    plan.reads = !read.empty();
    const std::lock_guard guard(lock_);
    if (may_begin(plan.reads, frees)) {
      admit(plan, frees);
      return true;
    }
    waiting_[plan.reads].try_emplace({plan.order, ~plan.depth, item.step().node()}, item, plan,
                                     std::vector<node_number>(read.begin(), read.end()));
    return false;
  }
  // The same, whatever is alive.
  void begin_anyway(alive_plan& plan, bool reads, const alive_amount& frees) noexcept {
    const std::lock_guard guard(lock_);
    plan.reads = reads;
    admit(plan, frees);
  }
  // The node has ended: its value is alive, and other values are not any more. Calls give(item) for what can begin now.
  template <class Give>
  void end(const alive_plan& plan, const alive_amount& made, const alive_amount& freed, Give&& give) {
    const std::lock_guard guard(lock_);
    --underway_[plan.reads];
    reserved_ -= plan.reserved;
    kind& like = kinds_[plan.reads];
    like.largest = std::max(like.largest, made.bytes);
    like.known = true;
    alive_ += made;
    alive_ -= freed;
    seen_.values = std::max(seen_.values, unless_below_zero(alive_.values));
    seen_.bytes = std::max(seen_.bytes, unless_below_zero(alive_.bytes));
    give_all(give);
  }
  // Values have been freed that were held.
  template <class Give>
  void freed(const alive_amount& amount, Give&& give) {
    const std::lock_guard guard(lock_);
    alive_ -= amount;
    give_all(give);
  }
  // The same, by a strand that ends. What can begin now is found by those that look for work next.
  void note_freed(const alive_amount& amount) noexcept {
    const std::lock_guard guard(lock_);
    alive_ -= amount;
  }
  // For a strand that has nothing else to do: a node that can begin. `alone`: no other strand has anything to do, so one
  // is returned if any waits. `frees`: says what a node frees that reads these.
  template <class Frees>
  std::optional<Item> take(bool alone, const Frees& frees) {
    const std::lock_guard guard(lock_);
    map* const first = first_waiting();
    if (first == nullptr) return std::nullopt;
    if (may_begin(first == &waiting_[true], {})) return take_out(*first, first->begin(), {});
    int looked_at = 0;
    for (auto at = waiting_[true].begin(); at != waiting_[true].end() && looked_at < most_looked_at;
         ++at, ++looked_at) {
      const alive_amount freed = frees(std::span<const node_number>(at->second.read));
      if (may_begin(true, freed)) return take_out(waiting_[true], at, freed);
    }
    if (!alone) return std::nullopt;
    return take_out(*first, first->begin(), {});
  }
  bool any_waiting() {
    const std::lock_guard guard(lock_);
    return first_waiting() != nullptr;
  }
  // The most at a time.
  alive_amount seen() const noexcept { return seen_; }
  bool went_beyond() const noexcept { return seen_.values > most_.values || seen_.bytes > most_.bytes; }

 private:
  struct waiting_node {
    waiting_node(const Item& i, alive_plan& p, std::vector<node_number> r)
        : item(i), plan(p), read(std::move(r)) {}
    Item item;
    alive_plan& plan;
    std::vector<node_number> read;
  };
  // Order, depth from the deepest on, and node.
  using map = std::map<std::tuple<std::uint64_t, std::uint32_t, node_number>, waiting_node>;
  // What is known of the values of nodes that read others, or of those that do not.
  struct kind {
    std::size_t largest = 0;
    bool known = false;
  };
  // How many nodes that read others are looked at for one that adds nothing.
  static constexpr int most_looked_at = 64;

  // All of these under the lock.
  bool may_begin(bool reads, const alive_amount& frees) const noexcept {
    const alive_amount adds = adds_of(reads, frees);
    const bool measured = most_.bytes != unlimited;
    // The first of its kind shows how large the others may be.
    if (measured && !kinds_[reads].known && underway_[reads] != 0) return false;
    return fits(adds.values, alive_.values + reserved_.values, most_together()) &&
           (!measured || fits(adds.bytes, alive_.bytes + reserved_.bytes, most_.bytes));
  }
  // The rest is for a strand that is alone, so that it gets through. If it does not get through with all that may be
  // alive, the bound cannot be kept.
  std::size_t most_together() const noexcept {
    const std::size_t needed = needed_.load(std::memory_order_relaxed);
    return most_.values == unlimited || needed > most_.values ? most_.values : most_.values - needed;
  }
  // Another strand may have freed a value whose strand has not told yet that it is there.
  static std::size_t unless_below_zero(std::size_t n) noexcept {
    return n > std::numeric_limits<std::size_t>::max() / 2 ? 0 : n;
  }
  static bool fits(std::size_t adds, std::size_t there, std::size_t most) noexcept {
    return adds == 0 || (there < most && adds <= most - there);
  }
  alive_amount adds_of(bool reads, const alive_amount& frees) const noexcept {
    return alive_amount{.values = 1, .bytes = kinds_[reads].largest}.without(frees);
  }
  void admit(alive_plan& plan, const alive_amount& frees) noexcept {
    plan.admitted = true;
    plan.reserved = adds_of(plan.reads, frees);
    reserved_ += plan.reserved;
    ++underway_[plan.reads];
  }
  // Where the node waits that one strand alone would compute first.
  map* first_waiting() noexcept {
    map* first = nullptr;
    for (map& m : waiting_) {
      if (!m.empty() && (first == nullptr || m.begin()->first < first->begin()->first)) first = &m;
    }
    return first;
  }
  Item take_out(map& from, typename map::iterator at, const alive_amount& frees) noexcept {
    admit(at->second.plan, frees);
    const Item item = at->second.item;
    from.erase(at);
    return item;
  }
  template <class Give>
  void give_all(Give& give) {
    for (map* first = first_waiting(); first != nullptr && may_begin(first == &waiting_[true], {});
         first = first_waiting())
      give(take_out(*first, first->begin(), {}));
  }

  const alive_amount most_;
  std::atomic<std::size_t> needed_{0};  // values, by one strand alone
  std::mutex lock_;
  alive_amount alive_;         // of nodes that have ended
  alive_amount reserved_;      // for nodes that have not
  std::size_t underway_[2]{};  // admitted nodes, of each kind
  kind kinds_[2];
  map waiting_[2];
  alive_amount seen_;
};

// In a run without a bound.
struct no_alive_bound {
  explicit no_alive_bound(const alive_amount&) noexcept {}
};

}  // namespace sennit::detail
