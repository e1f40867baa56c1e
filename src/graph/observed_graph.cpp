// SPDX-License-Identifier: Apache-2.0
#include "region/observed.hpp"
#include "schedule/execution.hpp"
#include "system/nanoseconds.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/compute_sink.hpp>
#include <sennit/detail/graph/homes.hpp>
#include <sennit/detail/graph/observed_graph.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/graph_replay.hpp>
#include <sennit/graph_trace.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sennit::detail {

namespace {

// The nodes of an observed graph, as the table of a run.
struct observed_nodes {
  using key = observed_key;
  struct supply {};

  observed_graph& of;

  node_number find_or_make(const observed_key& k, supply&) const noexcept { return k.number; }
  node_number find(const observed_key& k) const noexcept { return k.number; }
  observed_key key_of(node_number n) const noexcept { return {.of = &of, .number = n}; }
  node_state& state(node_number n) const noexcept { return of.state(n); }
};

struct observed_settings {
  graph::coloring coloring;
  graph::trace* trace;
};

enum class places_of_nodes { colors, priorities, homes };

// The functions of an observed graph, as those of a run.
template <class Value, bool Bounded, places_of_nodes By>
class observed_calls {
 public:
  using value = Value;
  static constexpr bool prioritized = By == places_of_nodes::priorities;
  static constexpr bool colored = By == places_of_nodes::colors;
  static constexpr bool takes_node = true;
  static constexpr bool traced = true;
  static constexpr bool bounded = Bounded;
  // Asked of all, as a record costs more than that.
  static constexpr bool limited = true;

  observed_calls(const observed_settings& settings, const observed_kind& kind)
      : given(settings), color_count(kind.color_count), most_alive_(kind.most_alive) {}

  std::vector<observed_key> predecessors(const observed_key& k) const { return k.of->predecessors(k.number); }
  color_set colors(const observed_key& k) const { return k.of->colors(k.number); }
  std::vector<std::uint32_t> list_of_colors(const observed_key& k) const {
    return k.of->list_of_colors(k.number);
  }
  void find_limits(const observed_key& k, item_limits& limits) const { k.of->find_limits(k.number, limits); }
  int priority(const observed_key& k) const { return k.of->priority(k.number); }

  template <class Strand, class Values>
  void compute(node_number n, Strand& strand, Values& values) const {
    for_program<Strand> here(strand);
    observed_graph::made made = strand.key_of(n).of->compute(n, here);
    if constexpr (!std::is_void_v<Value>) {
      values.put(n, [&] { return std::move(made.value); });
      if constexpr (Bounded) values.measure(n, [&](const any_value&) { return made.bytes; });
    }
  }
  alive_amount most_alive() const noexcept { return most_alive_; }
  template <class Bound>
  void tell_seen(const Bound& bound) const noexcept {
    of->tell_seen(bound.seen(), bound.went_beyond());
  }
#if SENNIT_EXCEPTIONS
  static std::exception_ptr failure(bool computing, const observed_key& k) noexcept {
    return failure_of_node(computing, k);
  }
#endif

  const observed_settings& given;
  const unsigned color_count;
  observed_graph* of = nullptr;

 private:
  template <class Strand>
  class for_program final : public observed_strand {
   public:
    explicit for_program(Strand& of) noexcept : of_(of) {}
    const void* value_of(const observed_key& k) override {
      if constexpr (std::is_void_v<Value>) {
        return nullptr;
      } else {
        return of_.value_of(k).get();
      }
    }
    void create(const observed_key& k) override { of_.create(k); }

   private:
    Strand& of_;
  };

  const alive_amount most_alive_;
};

template <class Value, bool Bounded>
class homed_observed_calls : public observed_calls<Value, Bounded, places_of_nodes::homes> {
 public:
  homed_observed_calls(const observed_settings& settings, const observed_kind& kind, node_homes& h)
      : observed_calls<Value, Bounded, places_of_nodes::homes>(settings, kind), homes(h) {}
  node_homes& homes;
};

// One run of an observed graph.
class observed_run {
 public:
  observed_run(observed_graph& of, node_number sink, const observed_kind& kind)
      : of_(of), sink_(sink), kind_(kind), settings_{{kind.places, kind.patience}, kind.trace} {}

  void trace_into(graph::trace& t) noexcept { settings_.trace = &t; }
  const graph::trace* traced() const noexcept { return settings_.trace; }

  // By colors or priorities where the graph has them.
  any_value run() {
    if (kind_.prioritized)
      return kind_.has_values ? by<any_value, false, places_of_nodes::priorities>()
                              : by<void, false, places_of_nodes::priorities>();
    if (kind_.colored) {
      if (!kind_.has_values) return by<void, false, places_of_nodes::colors>();
      return kind_.bounded ? by<any_value, true, places_of_nodes::colors>()
                           : by<any_value, false, places_of_nodes::colors>();
    }
    static const graph::schedule nothing;
    node_homes anywhere(nothing, relaxed);
    return run(anywhere);
  }
  any_value run(node_homes& homes) {
    if (!kind_.has_values) return compute(homed_observed_calls<void, false>(settings_, kind_, homes));
    return kind_.bounded ? compute(homed_observed_calls<any_value, true>(settings_, kind_, homes))
                         : compute(homed_observed_calls<any_value, false>(settings_, kind_, homes));
  }

 private:
  template <class Value, bool Bounded, places_of_nodes By>
  any_value by() {
    return compute(observed_calls<Value, Bounded, By>(settings_, kind_));
  }
  template <class Calls>
  any_value compute(Calls user) {
    user.of = &of_;
    observed_nodes all{of_};
    const observed_key sink = all.key_of(sink_);
    if constexpr (std::is_void_v<typename Calls::value>) {
      compute_in(all, sink, settings_, user);
      return {};
    } else {
      return compute_in(all, sink, settings_, user);
    }
  }

  observed_graph& of_;
  const node_number sink_;
  const observed_kind& kind_;
  observed_settings settings_;
};

fidelity fidelity_of(const execution& region) noexcept {
  if (!region.forbids_the_rest()) return relaxed;
  return region.keeps_order() ? strict_ordered : strict_unordered;
}

graph::schedule schedule_of(const graph_record& planned, const execution& region) {
  graph::schedule made;
  for (const graph_record::node& n : planned.nodes) made.assign(n.key, region.role_here(n.role));
  return made;
}

// Empty if the texts of keys do not tell nodes apart.
std::shared_ptr<const graph_record> record_of(const graph::trace& seen, const execution& region,
                                              std::uint64_t begun) {
  auto record = std::make_shared<graph_record>();
  std::unordered_set<std::string_view> keys;
  for (const graph::trace::node& n : seen.nodes()) {
    if (!keys.insert(n.key).second) return std::make_shared<graph_record>();
  }
  for (const graph::trace::node& n : seen.nodes()) {
    record->nodes.push_back({.key = n.key,
                             .role = region.role_of_number(n.worker),
                             .ran = {.begin = begun + static_cast<std::uint64_t>(n.begin.count()),
                                     .end = begun + static_cast<std::uint64_t>(n.end.count())}});
  }
  return record;
}

// What `call` throws.
template <class Call>
std::exception_ptr thrown_by(const Call& call) {
#if SENNIT_EXCEPTIONS
  try {
    call();
  } catch (...) {
    return std::current_exception();
  }
#else
  call();
#endif
  return nullptr;
}

void rethrow(const std::exception_ptr& thrown) {
#if SENNIT_EXCEPTIONS
  if (thrown != nullptr) std::rethrow_exception(thrown);
#else
  static_cast<void>(thrown);
#endif
}

}  // namespace

any_value run_observed(observed_graph& of, node_number sink, const observed_kind& kind,
                       const observed_replay& by) {
  trace_cursor& cursor = *current_tls().cursor;
  auto& region = static_cast<execution&>(cursor.by());
  observed_run run(of, sink, kind);
  whereabouts where{};
  const graph_record* const planned = region.graph_begins(cursor, where);
  std::optional<any_value> last;
  if (planned == nullptr && region.forbids_the_rest()) {
    const auto thrown = thrown_by([&] { last.emplace(run.run()); });
    region.graph_kept(cursor, where);
    rethrow(thrown);
    return std::move(*last);
  }
  graph::trace seen(0);
  if (region.noted() && kind.trace == nullptr) run.trace_into(seen);
  region.waits_for_graph(cursor, where);
  const std::uint64_t begun = now_ns();
  auto body = [&] {
    if (planned != nullptr) {
      const graph::schedule followed = schedule_of(*planned, region);
      node_homes homes(followed, fidelity_of(region),
                       {.first = &region.first_worker(), .first_number = region.first_number()});
      last.emplace(run.run(homes));
    } else if (by.followed != nullptr) {
      node_homes homes(*by.followed, by.how);
      last.emplace(run.run(homes));
    } else {
      last.emplace(run.run());
    }
  };
  const auto thrown = thrown_by([&] { run_hidden(body); });
  std::shared_ptr<const graph_record> record;
  if (region.noted() &&
      !attempt<std::bad_alloc>([&] { record = record_of(*run.traced(), region, begun - region.begun_ns()); }))
    region.lose_notes();
  region.graph_ended(cursor, where, {.begin = begun, .end = now_ns()}, std::move(record));
  rethrow(thrown);
  return std::move(*last);
}

}  // namespace sennit::detail
