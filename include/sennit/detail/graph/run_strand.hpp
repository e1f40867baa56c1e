// SPDX-License-Identifier: Apache-2.0
// What one strand does in a run of a graph: exploring and computing nodes.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/alive.hpp>
#include <sennit/detail/graph/homes.hpp>
#include <sennit/detail/graph/key_text.hpp>
#include <sennit/detail/graph/keys.hpp>
#include <sennit/detail/graph/limited_work.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/node_failure.hpp>
#include <sennit/detail/graph/strand_limits.hpp>
#include <sennit/detail/graph/strand_room.hpp>
#include <sennit/detail/graph/tracing.hpp>
#include <sennit/detail/graph/value_strand.hpp>
#include <sennit/detail/graph/values.hpp>
#include <sennit/detail/graph/waiting_nodes.hpp>
#include <sennit/detail/telling.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// One strand of a run, which is the interface of the run for the functions of nodes, too. Run: a graph_run.
template <class Run>
class run_strand : public strand_room<run_strand<Run>> {
  friend class strand_room<run_strand>;
  using Keys = typename Run::node_keys;
  using Calls = typename Run::program_calls;
  using key = typename Run::key;
  using value = typename Run::value;
  using item = typename Run::item;
  static constexpr bool has_values = Run::has_values;
  static constexpr bool homed = Run::homed;
  static constexpr bool bounded = Run::bounded;

 public:
  run_strand(Run& whole, typename Run::session& own) : whole_(whole), own_(own) {}
  ~run_strand() {
    whole_.values_.leave(values_.held);
    if constexpr (bounded) whole_.bound_.note_freed(values_.held.take_freed());
    whole_.tracing_.leave(notes_);
    if constexpr (Calls::limited) limits_.drop(whole_.limited_);
  }
  run_strand(const run_strand&) = delete;
  run_strand& operator=(const run_strand&) = delete;

  item at;

  // Does what `at` says and what follows from that, depth first.
  void go_on() {
    for (;;) {
      const graph_item step = at.step();
      item next = item::none();
      if (step.is_ready()) {
        if constexpr (bounded) {
          if (this->waits_for_room(at)) return leave_item();
        }
        if constexpr (Calls::limited) {
          const auto find = [&](item_limits& l) { whole_.calls_.find_limits(key_of(step.node()), l); };
          if (!limits_.enter(whole_.limited_, step.node(), find)) return leave_item();
        }
        compute(step.node(), next);
        if constexpr (Calls::takes_node) {
          if (has_created_) [[unlikely]]
            give_created();
        }
        if constexpr (Calls::limited) {
          // A node that gets a permit by that goes on before anything else.
          if (const node_number admitted = limits_.leave(whole_.limited_); admitted != nobody) {
            const item after = std::exchange(next, graph_item::compute(admitted));
            if (!after.step().is_none()) own_.todo.add(after);
          }
        }
      } else {
        explore(step.node(), next);
      }
      own_.did_one();
      own_.consider_others(!next.step().is_none());
      if (next.step().is_none()) return;
      if (whole_.pool_.looks_up()) [[unlikely]] {
        if (whole_.pool_.stopped()) return;
        tell_item();
      }
      if constexpr (has_values) {
        if (!limits_.is_admitted() && puts_aside(next)) return;
      }
      at = next;
    }
  }

  // A trace tells of what `at` says, which is done. The time of what was explored before is the node's.
  SENNIT_COLD void tell_item() noexcept {
    if (!whole_.pool_.is_told() || !at.step().is_ready()) return;
    const node_number n = at.step().node();
    const auto describe = [&](told_node& node) {
      const auto& k = whole_.keys_.key_of(n);
      node.number = n;
      node.name = label_of_key<key>(k);
      if constexpr (Calls::colored) {
        for (const std::uint32_t c : whole_.calls_.list_of_colors(k)) node.color = std::min(node.color, c);
      }
      for (const key& p : whole_.calls_.predecessors(k)) node.before.push_back(whole_.keys_.find(p));
    };
    whole_.pool_.tell(own_.since_ns, describe);
    leave_item();
  }

  // The node has a permit, which it must not lose. Returns false if the run has been stopped.
  bool takes(limited_work::waiting_item& admitted) noexcept {
    at = graph_item::compute(limits_.take(whole_.limited_, admitted));
    return !whole_.pool_.stopped();
  }

  // Puts a node aside if its value might have to wait for the end of the exploration, as too many do.
  bool puts_aside(item i) {
    if (homed || !i.step().is_ready() || whole_.values_.has_room()) return false;
    values_.ready.push_back(i);
    return true;
  }
  // When nothing is left to explore here: goes on with what is ready, or leaves it to who explores last.
  void bring_ready() {
    if (values_.ready.empty() || !own_.todo.empty()) return;
    const auto is_over = [&] { return whole_.values_.unexplored().all_explored(); };
    if (!whole_.values_.has_room() && whole_.later_.put(values_.ready, is_over)) {
      whole_.values_.leave(values_.held);
      return;
    }
    offer_ready();
  }
  bool has_ready() const noexcept { return !values_.ready.empty(); }
  // Others can have what is ready while this strand computes a node.
  void offer_ready() {
    if (!has_ready()) return;
    add_reversed(values_.ready);
    values_.ready.clear();
  }

  decltype(auto) key_of(node_number n) const { return whole_.keys_.key_of(n); }
  // Any number of branches of the running node may call it at once.
  const auto& value_of(const key& k) {
    const node_number p = whole_.keys_.find(k);
    if (!values_.read.has(p)) [[unlikely]]
      throw_no_predecessor(text_of_running(), text_of_key(k));
    const auto* const v = whole_.values_.get(p);
    if (v == nullptr) [[unlikely]]
      throw_value_freed(text_of_running(), text_of_key(k));
    return *v;
  }
  // Adds a node to the run. The same branches may call it.
  void create(const key& k) {
    // The strand itself uses what follows only while it runs no node.
    const std::lock_guard guard(creating_);
    if constexpr (has_values) {
      // Before the node is known: another strand may have created it, and compute it at once.
      if (!has_created_) whole_.values_.unexplored().begin_creating();
    }
    has_created_ = true;
    const node_number n = whole_.keys_.find_or_make(k, supply_);
    std::uint64_t absent = 0;
    // Relaxed: no data was written for the node.
    if (!successors(whole_.state(n))
             .compare_exchange_strong(absent, std::uint64_t{nobody} + 1, std::memory_order_relaxed,
                                      std::memory_order_relaxed))
      return;
#if SENNIT_EXCEPTIONS
    try {
      add_created(n);
    } catch (...) {
      // The node has been made, and no strand is going to explore it.
      whole_.pool_.fail(std::current_exception());
      throw;
    }
#else
    add_created(n);
#endif
  }

 private:
  using wait = waiting_nodes::outcome;

  // The node goes on elsewhere, or has been told: nothing is to be told of it here.
  void leave_item() noexcept { at = graph_item::explore(at.step().node()); }

  std::string text_of_running() { return text_of_key<key>(key_of(at.step().node())); }
  void add_created(node_number n) {
    if constexpr (has_values) whole_.values_.unexplored().created();
    {
      const std::lock_guard guard(whole_.creating_);
      whole_.created_.push_back(n);
    }
    if constexpr (homed) whole_.calls_.homes.created();
    note_made(n);
    if constexpr (bounded) whole_.values_.make_plan(n).follow(whole_.values_.plan(at.step().node()), 0, 1, 0);
    item i = graph_item::explore(n);
    if (posts(i)) return;
    // A branch that another strand runs does not use the strand's local queue.
    own_.is_here() ? own_.todo.add_within(i) : created_elsewhere_.push_back(i);
  }
  SENNIT_COLD void give_created() {
    for (const item& i : created_elsewhere_) own_.todo.add(i);
    created_elsewhere_.clear();
    has_created_ = false;
  }
  // The first is done first.
  void add_reversed(const std::vector<item>& items) {
    for (std::size_t i = items.size(); i > 0; --i) {
      if constexpr (Calls::prioritized) {
        item ready = items[i - 1];
        if (posts(ready)) continue;
      }
      own_.todo.add(items[i - 1]);
    }
  }

  // For the homes of nodes.
  void note_made(node_number n) {
    if constexpr (homed) whole_.calls_.homes.made(n, label_of_key<key>(whole_.keys_.key_of(n)));
  }
  void note_explored(std::int64_t made) {
    if constexpr (homed) {
      if (whole_.calls_.homes.explored(made)) own_.attend_to_all();
    }
  }

  void explore(node_number n, item& next) {
    const auto& k = whole_.keys_.key_of(n);
    auto&& found = whole_.calls_.predecessors(k);
    if constexpr (has_values) {
      explore_with_values(n, found, next);
    } else if constexpr (std::ranges::sized_range<decltype(found)>) {
      explore(n, found, std::ranges::size(found), next);
    } else {
      std::vector<key> list;
      for (auto&& p : found) list.push_back(p);
      explore(n, list, list.size(), next);
    }
  }

  template <class Range>
  void explore(node_number n, Range&& found, std::size_t size, item& next) {
    std::uint32_t done = 0;
    std::int64_t made = 0;
    const auto before = own_.todo.mark();
    if (size != 0) {
      // Relaxed: no other strand knows that the node waits before the node is in the list of a
      // predecessor.
      waiting(whole_.state(n)).store(static_cast<std::uint32_t>(size), std::memory_order_relaxed);
      std::size_t named = 0;
      for (const auto& k : found) {
        if (++named > size) throw_other_count(text_of_key<key>(whole_.keys_.key_of(n)), size);
        const node_number p = whole_.keys_.find_or_make(k, supply_);
        switch (whole_.waiting_.wait_for(whole_.state(p), n, numbers_)) {
          case wait::made:
            ++made;
            note_made(p);
            follow(graph_item::explore(p), next);
            break;
          case wait::listed: break;
          case wait::done: ++done; break;
        }
      }
    }
    note_explored(made);
    // In the order in which the predecessors were named, as if a call explored each of them.
    if (made > 2) own_.todo.reverse_since(before);
    if (size == 0 || (done != 0 && count_down(whole_.state(n).waiting, done)))
      follow(graph_item::compute(n), next);
  }

  // All predecessors are known before the node waits for one of them.
  template <class Range>
  void explore_with_values(node_number n, Range&& found, item& next) {
    values_.named.clear();
    for (const auto& k : found) values_.named.push_back(whole_.keys_.find_or_make(k, supply_));
    const std::size_t size = values_.named.size();
    whole_.values_.begin(n, values_.named);
    // Relaxed: as above.
    waiting(whole_.state(n)).store(static_cast<std::uint32_t>(size), std::memory_order_relaxed);
    std::uint32_t done = 0;
    std::size_t made = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const node_number p = values_.named[i];
      switch (whole_.waiting_.wait_for(whole_.state(p), n, numbers_)) {
        case wait::made:
          values_.named[made++] = p;
          if constexpr (bounded) whole_.values_.make_plan(p).kept = static_cast<std::uint32_t>(i);
          note_made(p);
          break;
        case wait::listed: break;
        case wait::done:
          ++done;
          whole_.values_.will_read(p);
          break;
      }
    }
    if constexpr (bounded) this->plan_made(n, made);
    const auto give = [&](node_number p) { follow(graph_item::explore(p), next); };
    const bool last = whole_.values_.unexplored().explored(std::span(values_.named.data(), made), give);
    note_explored(static_cast<std::int64_t>(made));
    if (size == 0 || (done != 0 && count_down(whole_.state(n).waiting, done))) add_ready_when_explored(n);
    if (last) [[unlikely]]
      compute_the_rest();
  }
  void add_ready_when_explored(node_number n) {
    item i = graph_item::compute(n);
    if (!posts(i)) values_.ready.push_back(i);
  }
  // Nothing is left to explore.
  SENNIT_COLD void compute_the_rest() {
    whole_.values_.leave(values_.held);
    std::vector<item> ready = whole_.later_.take();
    if constexpr (Calls::colored) std::erase_if(ready, [this](item& i) { return posts(i); });
    add_reversed(ready);
  }

  void compute(node_number n, item& next) {
    if constexpr (has_values && !bounded) find_read(n);
    const auto begun = whole_.tracing_.begin_node(notes_);
    whole_.calls_.compute(n, *this, whole_.values_);
    whole_.tracing_.end_node(notes_, n, begun);
    // ORD[D24] acq_rel: release publishes what the node did to all that wait for it and to those that find
    // it computed later; acquire has the links, and what those that wait wrote before. Model:
    // models/graph.pml.
    const std::uint64_t waited = successors(whole_.state(n)).exchange(computed, std::memory_order_acq_rel);
    const auto maker = static_cast<node_number>(waited) - 1;
    const auto first = static_cast<std::uint32_t>(waited >> 32);
    if constexpr (has_values) {
      std::uint32_t readers = maker != nobody ? 1 : 0;
      for (std::uint32_t l = first; l != 0; l = whole_.waiting_[l].next) ++readers;
      if constexpr (bounded) {
        const alive_amount made = whole_.values_.amount_of(n);
        whole_.values_.computed(n, readers, values_.read.all(), has_created_, values_.held);
        this->note_computed(n, made);
      } else {
        whole_.values_.computed(n, readers, values_.read.all(), has_created_, values_.held);
      }
    }
    if (maker != nobody) notify(maker, next);
    for (std::uint32_t l = first; l != 0;) {
      const link waits = whole_.waiting_[l];
      notify(waits.node, next);
      l = waits.next;
    }
  }

  // The predecessors, whose values the node reads.
  void find_read(node_number n) {
    std::vector<node_number>& nodes = values_.read.begin();
    for (const key& k : whole_.calls_.predecessors(whole_.keys_.key_of(n)))
      nodes.push_back(whole_.keys_.find(k));
    if (!whole_.values_.has_answered(n, nodes)) throw_other_answer(text_of_key<key>(whole_.keys_.key_of(n)));
    values_.read.fix();
  }

  void notify(node_number n, item& next) {
    if (count_down(whole_.state(n).waiting, 1)) follow(graph_item::compute(n), next);
  }

  // The first item is done next, the others later; items of other colors are posted to those colors.
  void follow(graph_item step, item& next) {
    item i = step;
    if constexpr (Calls::colored || homed || Calls::prioritized) {
      if (posts(i)) return;
    }
    if (next.step().is_none()) {
      next = i;
    } else {
      own_.todo.add(i);
    }
  }
  // Posts an item of another color, or one that has a home or a priority. Returns false if the item is for this strand.
  SENNIT_INLINE bool posts(item& i) {
    if constexpr (Calls::colored) {
      i.colors = whole_.calls_.colors(whole_.keys_.key_of(i.step().node()));
      return own_.post(i);
    } else if constexpr (homed) {
      return own_.post(i);
    } else if constexpr (Calls::prioritized) {
      if (!i.step().is_ready()) return false;
      own_.post(i.step().node(), whole_.calls_.priority(whole_.keys_.key_of(i.step().node())));
      return true;
    }
    return false;
  }

  Run& whole_;
  typename Run::session& own_;
  waiting_nodes::supply numbers_;
  typename Keys::supply supply_;
  std::mutex creating_;                  // for branches of the running node
  bool has_created_ = false;             // the running node, or has tried to; under creating_
  std::vector<item> created_elsewhere_;  // by its branches on other stacks; likewise
  [[no_unique_address]] strand_limits<Calls::limited> limits_;
  [[no_unique_address]] value_strand<item, value, bounded> values_;
  [[no_unique_address]] typename graph_tracing<Calls::traced>::notes notes_;
};

}  // namespace sennit::detail
