// SPDX-License-Identifier: Apache-2.0
// One run of a graph that is discovered from its sink. A node is made when it is first needed, and computed
// once its last predecessor has been computed. docs/protocols/graphs.md has the protocol.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/alive.hpp>
#include <sennit/detail/graph/color_posts.hpp>
#include <sennit/detail/graph/homed_pool.hpp>
#include <sennit/detail/graph/keys.hpp>
#include <sennit/detail/graph/limited_work.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/prioritized_pool.hpp>
#include <sennit/detail/graph/run_strand.hpp>
#include <sennit/detail/graph/strand_room.hpp>
#include <sennit/detail/graph/tracing.hpp>
#include <sennit/detail/graph/value_strand.hpp>
#include <sennit/detail/graph/values.hpp>
#include <sennit/detail/graph/waiting_nodes.hpp>
#include <sennit/detail/graph/work_pool.hpp>

#include <cstdint>
#include <exception>
#include <mutex>
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
  static constexpr bool limited = Calls::limited;
  static constexpr bool bounded = Calls::bounded;
  using values_of_run = graph_values<value, bounded>;

  using strand = run_strand<graph_run>;

  // `of`, `patience`: as in a work pool.
  graph_run(Keys& keys, const Calls& calls, color_kind of, double patience)
      : keys_(keys), calls_(calls), bound_(most_alive(calls)), pool_(make_pool(calls, of, patience)) {}

  // Returns when the sink has been computed, when the work pool has failed, or when nothing is left to do
  // although the sink waits. In the last case there is a cycle.
  node_number run(const key& sink) {
    typename Keys::supply supply;
    const node_number s = keys_.find_or_make(sink, supply);
    state(s).successors = std::uint64_t{nobody} + 1;
    if constexpr (homed) calls_.homes.made(s, label_of_key(sink));
    values_.keep(s);
    if constexpr (bounded) bound_.begin_order(values_.make_plan(s));
    item first = graph_item::explore(s);
    if constexpr (Calls::colored) first.colors = calls_.colors(sink);
    pool_.tell_to(claim_told_graph());
    pool_.run(*this, {first});
    if constexpr (bounded) {
      // The last strands have left together.
      while (bound_.any_waiting() && !pool_.stopped()) pool_.run_again();
      calls_.tell_seen(bound_);
    }
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
  values_of_run& values() noexcept { return values_; }
  graph_tracing<Calls::traced>& tracing() noexcept { return tracing_; }

  // One strand's part of the run.
  template <class Session>
  void work(Session& own) {
    strand here{*this, own};
    if constexpr (limited) {
      const ends_waiting last(*this);
      work(here, own);
    } else {
      work(here, own);
    }
  }

 private:
  template <class Session>
  SENNIT_INLINE void work(strand& here, Session& own) {
    for (;;) {
      if constexpr (has_values) here.bring_ready();
      if (!own.more()) {
        if constexpr (has_values) {
          // Others have taken what there was to explore here.
          if (here.has_ready() && !pool_.stopped()) continue;
        }
        if constexpr (bounded) {
          if (here.takes_waiting()) continue;
        }
        return;
      }
      here.at = own.todo.take();
      if constexpr (has_values) {
        if (here.puts_aside(here.at)) continue;
        if (here.at.step().is_ready()) here.offer_ready();
      }
      go_on(here);
      if (pool_.looks_up()) [[unlikely]] {
        if (pool_.stopped()) return;
        here.tell_item();
      }
    }
  }
  SENNIT_INLINE void go_on(strand& here) {
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
  }

  // Nodes that wait for a permit.
  class limited_nodes final : public limited_in_pool {
   public:
    explicit limited_nodes(graph_run& run) noexcept : limited_in_pool(run.pool_), run_(run) {}
    ~limited_nodes() { this->end(); }

   private:
    void go_on(waiting_item& admitted) noexcept override {
      run_.pool_.begin_strand([&](session& own) {
        strand here{run_, own};
        const ends_waiting last(run_);
        if (!here.takes(admitted)) return;
        run_.go_on(here);
        if (run_.pool_.stopped()) return;
        here.tell_item();
        run_.work(here, own);
      });
    }
    graph_run& run_;
  };
  // Once the run has to end, no node waits for a permit.
  struct ends_waiting {
    explicit ends_waiting(graph_run& r) noexcept : run(r) {}
    ends_waiting(const ends_waiting&) = delete;
    ends_waiting& operator=(const ends_waiting&) = delete;
    ~ends_waiting() {
      if (run.pool_.stopped() || std::uncaught_exceptions() > unwinding) run.limited_.stop();
    }
    graph_run& run;
    const int unwinding = std::uncaught_exceptions();
  };
  struct no_limited_nodes {
    explicit no_limited_nodes(graph_run&) noexcept {}
  };

  friend class run_strand<graph_run>;
  friend class strand_room<run_strand<graph_run>>;
  using node_keys = Keys;
  using program_calls = Calls;
  using posts = std::conditional_t<Calls::colored, color_posts<colored_item>, no_posts>;
  static constexpr bool homed = has_homes<Calls>;
  static constexpr bool prioritized = Calls::prioritized;
  using whole_pool = std::conditional_t<
      homed, homed_pool<graph_run>,
      std::conditional_t<prioritized, prioritized_pool<graph_run>, work_pool<graph_run, item, posts>>>;
  using session = typename whole_pool::session;
  static whole_pool make_pool(const Calls& calls, color_kind of, double patience) noexcept {
    if constexpr (homed) {
      return whole_pool(calls.homes);
    } else if constexpr (prioritized) {
      return whole_pool();
    } else {
      return whole_pool(of, patience);
    }
  }

  using bound = std::conditional_t<bounded, alive_bound<item>, no_alive_bound>;
  static alive_amount most_alive(const Calls& calls) {
    if constexpr (bounded) {
      return calls.most_alive();
    } else {
      return {};
    }
  }

  node_state& state(node_number n) noexcept { return keys_.state(n); }

  Keys& keys_;
  const Calls& calls_;
  waiting_nodes waiting_;
  values_of_run values_;
  [[no_unique_address]] bound bound_;
  [[no_unique_address]] std::conditional_t<has_values, ready_later<item>, no_values> later_;
  [[no_unique_address]] graph_tracing<Calls::traced> tracing_;
  std::mutex creating_;
  std::vector<node_number> created_;  // by running nodes; under creating_
  whole_pool pool_;
  [[no_unique_address]] std::conditional_t<limited, limited_nodes, no_limited_nodes> limited_{*this};
};

}  // namespace sennit::detail
