// One run of a graph that is discovered from its sink. A node is made when it is first needed, and computed
// once its last predecessor has been computed. docs/protocols/graphs.md has the protocol.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/color_posts.hpp>
#include <sennit/detail/graph/growing.hpp>
#include <sennit/detail/graph/homed_pool.hpp>
#include <sennit/detail/graph/keys.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/tracing.hpp>
#include <sennit/detail/graph/value_queue.hpp>
#include <sennit/detail/graph/values.hpp>
#include <sennit/detail/graph/work_pool.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// Keys: holds the states of nodes, and finds nodes by their keys. Calls: the program's functions, see
// graph.hpp.
template <class Keys, class Calls>
class graph_run {
 public:
  using key = typename Keys::key;
  using value = typename Calls::value;
  using item = std::conditional_t<Calls::colored, colored_item, graph_item>;
  static constexpr bool has_values = !std::is_void_v<value>;

  // `patience`: as in a work pool.
  graph_run(Keys& keys, const Calls& calls, double patience)
      : keys_(keys), calls_(calls), pool_(argument_of_pool(calls, patience)) {}

  // Returns when the sink has been computed, when the work pool has failed, or when nothing is left to do
  // although the sink waits. In the last case there is a cycle.
  node_number run(const key& sink) {
    typename Keys::supply supply;
    const node_number s = keys_.find_or_make(sink, supply);
    state(s).successors = std::uint64_t{nobody} + 1;
    if constexpr (homed) calls_.homes.made(s, label_of_key(sink));
    todo first;
    first.add(graph_item::explore(s));
    values_.keep(s);
    pool_.run(*this, std::move(first));
    return s;
  }

  // Throws the exception that ended the run early, if there is one.
  void throw_failure() {
    if (!pool_.stopped()) return;
    values_.fail();
    pool_.throw_failure();
  }
  bool failed() const noexcept { return pool_.stopped(); }
  bool is_computed(node_number n) noexcept { return state(n).successors == computed; }
  // A node that was created by another node and waits for ever; `nobody` if there is none.
  node_number waits_for_ever() noexcept {
    for (const node_number n : created_) {
      if (!is_computed(n)) return n;
    }
    return nobody;
  }
  // A predecessor that waits for ever, of a node that waits for ever.
  node_number waiting_predecessor(node_number n) {
    typename Keys::supply supply;
    for (const key& k : calls_.predecessors(keys_.key_of(n))) {
      const node_number p = keys_.find_or_make(k, supply);
      if (!is_computed(p)) return p;
    }
    return nobody;
  }
  graph_values<value>& values() noexcept { return values_; }
  graph_tracing<Calls::traced>& tracing() noexcept { return tracing_; }

  // One strand's part of the run.
  template <class Session>
  void work(Session& own) {
    strand here{*this, own};
    while (own.more()) {
      if constexpr (has_values && !homed) {
        if (!own.todo.has_unexplored() && !values_.has_room() &&
            later_.put(own.todo, [this] { return values_.unexplored().none(); })) {
          values_.leave(here.held());
          continue;
        }
      }
      here.at = own.todo.take();
#if SENNIT_EXCEPTIONS
      try {
        here.go_on();
      } catch (...) {
        // A failure here also ends the rest of the work pool.
        pool_.fail(Calls::failure(here.at.step().is_ready(), keys_.key_of(here.at.step().node())));
      }
#else
      here.go_on();
#endif
      if (pool_.stopped()) [[unlikely]]
        return;
    }
  }

 private:
  using todo =
      std::conditional_t<has_values, explored_first_queue<item>,
                         std::conditional_t<Calls::colored, colored_local_queue<item>, local_queue<item>>>;
  using posts = std::conditional_t<Calls::colored, color_posts<colored_item>, no_posts>;
  static constexpr bool homed = has_homes<Calls>;
  static constexpr bool posted = homed || Calls::colored;
  using whole_pool =
      std::conditional_t<homed, homed_pool<graph_run, todo>, work_pool<graph_run, todo, posts>>;

  node_state& state(node_number n) noexcept { return keys_.state(n); }

  // The interface of the run for the function of a node.
  class strand {
   public:
    strand(graph_run& whole, typename whole_pool::session& own) : whole_(whole), own_(own) {}
    ~strand() {
      whole_.values_.leave(own_values_);
      whole_.tracing_.leave(notes_);
    }
    strand(const strand&) = delete;
    strand& operator=(const strand&) = delete;

    item at;

    // Does what `at` says and what follows from that, depth first.
    void go_on() {
      for (;;) {
        const graph_item step = at.step();
        item next = item::none();
        if (step.is_ready()) {
          compute(step.node(), next);
        } else {
          explore(step.node(), next);
        }
        own_.did_one();
        own_.consider_others(!next.step().is_none());
        if (next.step().is_none() || whole_.pool_.stopped()) return;
        if constexpr (has_values && !homed) {
          if (next.step().is_ready() && !whole_.values_.has_room()) return own_.todo.add(next);
        }
        at = next;
      }
    }

    typename graph_values<value>::holder& held() noexcept { return own_values_; }
    decltype(auto) key_of(node_number n) const { return whole_.keys_.key_of(n); }
    // Any number of branches of the running node may call it at once.
    const auto& value_of(const key& k) {
      const node_number p = whole_.keys_.find(k);
      if (!read_.has(p)) [[unlikely]]
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
      const node_number n = whole_.keys_.find_or_make(k, supply_);
      item made = graph_item::explore(n);
      if constexpr (Calls::colored) made.colors = whole_.calls_.colors(k);
      std::uint64_t absent = 0;
      // Relaxed: no data was written for the node.
      if (!successors(whole_.state(n))
               .compare_exchange_strong(absent, std::uint64_t{nobody} + 1, std::memory_order_relaxed,
                                        std::memory_order_relaxed))
        return;
#if SENNIT_EXCEPTIONS
      try {
        add_created(n, made);
      } catch (...) {
        // The node has been made, and no strand is going to explore it.
        whole_.pool_.fail(std::current_exception());
        throw;
      }
#else
      add_created(n, made);
#endif
    }

   private:
    std::string text_of_running() { return text_of_key<key>(key_of(at.step().node())); }
    void add_created(node_number n, item made) {
      {
        const std::lock_guard guard(whole_.creating_);
        whole_.created_.push_back(n);
      }
      if constexpr (homed) whole_.calls_.homes.created();
      note_made(n);
      if constexpr (has_values) {
        has_created_ = true;
        whole_.values_.unexplored().created([&] { own_.todo.add(made); });
      } else {
        own_.todo.add(made);
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
          switch (wait_for(p, n)) {
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
      named_.clear();
      for (const auto& k : found) named_.push_back(whole_.keys_.find_or_make(k, supply_));
      const std::size_t size = named_.size();
      whole_.values_.begin(n, named_);
      // Relaxed: as above.
      waiting(whole_.state(n)).store(static_cast<std::uint32_t>(size), std::memory_order_relaxed);
      std::uint32_t done = 0;
      std::size_t made = 0;
      for (const node_number p : named_) {
        switch (wait_for(p, n)) {
          case wait::made:
            named_[made++] = p;
            note_made(p);
            break;
          case wait::listed: break;
          case wait::done:
            ++done;
            whole_.values_.will_read(p);
            break;
        }
      }
      const auto give = [&](node_number p) { follow(graph_item::explore(p), next); };
      const bool last = whole_.values_.unexplored().explored(std::span(named_.data(), made), give);
      note_explored(static_cast<std::int64_t>(made));
      if (size == 0 || (done != 0 && count_down(whole_.state(n).waiting, done))) add_ready_when_explored(n);
      if (last) [[unlikely]]
        compute_the_rest();
    }
    void add_ready_when_explored(node_number n) {
      item i = graph_item::compute(n);
      if (!was_posted(i)) own_.todo.add_ready_when_explored(i);
    }
    // Nothing is left to explore.
    SENNIT_COLD void compute_the_rest() {
      whole_.values_.leave(own_values_);
      for (const item& i : whole_.later_.take()) {
        if constexpr (Calls::colored) {
          if (own_.post(i)) continue;
        }
        own_.todo.add(i);
      }
    }

    void compute(node_number n, item& next) {
      if constexpr (has_values) find_read(n);
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
        for (std::uint32_t l = first; l != 0; l = whole_.links_[l].next) ++readers;
        whole_.values_.computed(n, readers, read_.all(), std::exchange(has_created_, false), own_values_);
      }
      if (maker != nobody) notify(maker, next);
      for (std::uint32_t l = first; l != 0;) {
        const link waits = whole_.links_[l];
        notify(waits.node, next);
        l = waits.next;
      }
    }

    // The predecessors, whose values the node reads.
    void find_read(node_number n) {
      std::vector<node_number>& nodes = read_.begin();
      for (const key& k : whole_.calls_.predecessors(whole_.keys_.key_of(n)))
        nodes.push_back(whole_.keys_.find(k));
      if (!whole_.values_.has_answered(n, nodes))
        throw_other_answer(text_of_key<key>(whole_.keys_.key_of(n)));
      read_.fix();
    }

    enum class wait { made, listed, done };

    // Adds n to the list of the nodes that wait for p.
    wait wait_for(node_number p, node_number n) {
      auto list = successors(whole_.state(p));
      // ORD[D24] acquire: what the node did, if it is computed; pairs with the exchange in compute().
      std::uint64_t seen = list.load(std::memory_order_acquire);
      if (seen == 0) {
        // ORD[D24] release: how many n waits for; acquire, on failure, as above. Pairs with the exchange in
        // compute(). Model: models/graph.pml.
        if (list.compare_exchange_strong(seen, std::uint64_t{n} + 1, std::memory_order_release,
                                         std::memory_order_acquire))
          return wait::made;
      }
      if (seen == computed) return wait::done;
      const std::uint32_t l =
          numbers_.next(whole_.link_numbers_, [&](std::uint32_t i) { whole_.links_.ensure(i); });
      do {
        whole_.links_[l] = {.node = n, .next = static_cast<std::uint32_t>(seen >> 32)};
        // ORD[D24] release: the link, and how many n waits for; acquire, on failure, as above. Pairs with the
        // exchange in compute(). Model: models/graph.pml.
        if (list.compare_exchange_weak(seen, std::uint64_t{l} << 32 | static_cast<std::uint32_t>(seen),
                                       std::memory_order_release, std::memory_order_acquire))
          return wait::listed;
      } while (seen != computed);
      return wait::done;
    }

    void notify(node_number n, item& next) {
      if (count_down(whole_.state(n).waiting, 1)) follow(graph_item::compute(n), next);
    }

    // Whether the item goes to the workers of its color or to its home.
    SENNIT_INLINE bool was_posted(item& i) {
      if constexpr (Calls::colored) i.colors = whole_.calls_.colors(whole_.keys_.key_of(i.step().node()));
      if constexpr (posted) return own_.post(i);
      return false;
    }

    // The first item is done next, the others later; items of other colors are posted to those colors.
    void follow(graph_item step, item& next) {
      item i = step;
      if (was_posted(i)) return;
      if (next.step().is_none()) {
        next = i;
      } else {
        own_.todo.add(i);
      }
    }

    graph_run& whole_;
    typename whole_pool::session& own_;
    numbering::supply numbers_;
    typename Keys::supply supply_;
    std::mutex creating_;       // for branches of the running node
    bool has_created_ = false;  // the running node; under creating_
    // Predecessors of the node that is being explored.
    [[no_unique_address]] std::conditional_t<has_values, std::vector<node_number>, no_values> named_;
    [[no_unique_address]] std::conditional_t<has_values, read_nodes, no_values> read_;
    typename graph_values<value>::holder own_values_;
    [[no_unique_address]] typename graph_tracing<Calls::traced>::notes notes_;
  };

  Keys& keys_;
  const Calls& calls_;
  growing<link> links_;
  numbering link_numbers_;
  graph_values<value> values_;
  [[no_unique_address]] std::conditional_t<has_values, ready_later<item>, no_values> later_;
  [[no_unique_address]] graph_tracing<Calls::traced> tracing_;
  std::mutex creating_;
  std::vector<node_number> created_;  // by running nodes; under creating_
  whole_pool pool_;
};

}  // namespace sennit::detail
