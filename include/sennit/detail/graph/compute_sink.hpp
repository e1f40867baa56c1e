// SPDX-License-Identifier: Apache-2.0
// A run of a graph, from the call to what it returns or throws.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/calls.hpp>
#include <sennit/detail/graph/cycle.hpp>
#include <sennit/detail/graph/declarations.hpp>
#include <sennit/detail/graph/key_text.hpp>
#include <sennit/detail/graph/keys.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/node_failure.hpp>
#include <sennit/detail/graph/observed_graph.hpp>
#include <sennit/detail/graph/run.hpp>
#include <sennit/detail/graph/run_trace.hpp>
#include <sennit/detail/graph/tables.hpp>
#include <sennit/detail/loop/observed.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/region.hpp>

#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// Called if a node waits though all predecessors that it names now have been computed.
template <class Range>
[[noreturn]] void throw_for_missing_predecessor(const std::string& key, Range&& predecessors) {
  if constexpr (std::ranges::sized_range<Range>) {
    std::size_t named = 0;
    for (auto&& p : predecessors) {
      static_cast<void>(p);
      ++named;
    }
    if (named != std::ranges::size(predecessors)) throw_other_count(key, std::ranges::size(predecessors));
  }
  throw_other_answer(key);
}

// A predecessor that waits for ever, of a node that waits for ever.
template <class Key, class Run, class All, class Calls>
node_number awaited_predecessor(Run& run, All& all, const Calls& calls, node_number n) {
  typename All::supply supply;
  for (const Key& k : calls.predecessors(all.key_of(n))) {
    const node_number p = all.find_or_make(k, supply);
    if (!run.is_computed(p)) return p;
  }
  return nobody;
}

// The keys of a cycle, from a node that waits for ever.
template <class Key, class Run, class All, class Calls>
std::vector<Key> keys_of_cycle(Run& run, All& all, const Calls& calls, node_number from) {
  std::vector<Key> keys;
  for (const node_number n : cycle_from(from, [&](node_number w) {
         const node_number awaited = awaited_predecessor<Key>(run, all, calls, w);
         if (awaited == nobody) {
           throw_for_missing_predecessor(text_of_key<Key>(all.key_of(w)), calls.predecessors(all.key_of(w)));
         }
         return awaited;
       })) {
    keys.push_back(all.key_of(n));
  }
  return keys;
}

// `user`: graph_calls, or a class like it.
template <class Key, class All, class Nodes, class Calls>
auto compute_in(All& all, const Key& sink, const Nodes& given, const Calls& user) {
  using calls = Calls;
  graph_run<All, calls> run(all, user, given.coloring.of, given.coloring.patience);
  node_number last = nobody;
  const auto run_traced = [&] {
    if constexpr (calls::traced) {
      if (given.trace != nullptr) {
        tracing_of_run<Key, decltype(run), All, calls> tracing(run, all, user);
        last = run.run(sink);
        return tracing.finish(run.failed() || !run.is_computed(last) || run.waits_for_ever() != nobody);
      }
    }
    last = run.run(sink);
  };
  run_traced();
  run.throw_failure();
  const node_number waits = run.is_computed(last) ? run.waits_for_ever() : last;
  if (waits != nobody) {
    run.values().fail();
    throw_cycle_of(keys_of_cycle<Key>(run, all, user, waits));
  }
  if constexpr (!std::is_void_v<typename calls::value>) return run.values().take(last);
}

template <class Key, class Nodes, class Calls>
auto compute_sink_by(const Key& sink, const Nodes& given, Calls user) {
  if constexpr (Calls::colored) user.color_count = checked_color_count(given.coloring);
  auto all = table_of<Key>(given.keys);
  return compute_in(all, sink, given, user);
}

// Calls it here if the caller is a strand, or else in a region. In an observed region, calls `observed` in its place.
template <class Observed, class F>
auto call_in_strand(const Observed& observed, F f) {
  auto compute = [&] { return call_for_run(f); };
  const bool is_observed = any_gate_shut() && in_observed_region();
  if (is_observed && in_recorded_region()) [[unlikely]]
    return call_for_run(observed);
  if (in_strand() && !is_observed) return compute();
  const auto run = [](action all) {
    auto inside = [&] { run_graph(all); };
    run_region(nullptr, inside);
  };
  using value = decltype(compute());
  if constexpr (std::is_void_v<value>) {
    run(compute);
  } else {
    std::optional<value> result;
    auto keep = [&] { result.emplace(compute()); };
    run(keep);
    return std::move(*result);
  }
}

template <class Key, class Nodes>
auto compute_sink(const Key& sink, const Nodes& given) {
  return call_in_strand([&] { return compute_observed(sink, given, {}); },
                        [&] { return compute_sink_by(sink, given, graph_calls<Key, Nodes>{given}); });
}

}  // namespace sennit::detail
