// A run of a graph, from the call to what it returns or throws.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/calls.hpp>
#include <sennit/detail/graph/cycle.hpp>
#include <sennit/detail/graph/declarations.hpp>
#include <sennit/detail/graph/dense.hpp>
#include <sennit/detail/graph/hashed.hpp>
#include <sennit/detail/graph/key_text.hpp>
#include <sennit/detail/graph/keys.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/node_failure.hpp>
#include <sennit/detail/graph/run.hpp>
#include <sennit/detail/graph/run_trace.hpp>
#include <sennit/region.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

template <class Key, class Keys>
struct nodes_of;
template <class Key, class Hash>
struct nodes_of<Key, graph::hashed<Hash>> {
  using type = hashed_nodes<Key, Hash>;
  static type make(const graph::hashed<Hash>&) { return type(); }
};
template <class Key, std::size_t Rank>
struct nodes_of<Key, graph::dense<Rank>> {
  using type = dense_nodes<Key, Rank>;
  static type make(const graph::dense<Rank>& d) { return type(d.extents); }
};

// Checks graph::coloring::patience.
SENNIT_EXPORT SENNIT_COLD void check_patience(double patience);

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

template <class Key>
[[noreturn]] SENNIT_COLD void throw_cycle(std::vector<Key> keys) {
#if SENNIT_EXCEPTIONS
  throw graph::cycle_error<Key>(std::move(keys));
#else
  std::fprintf(stderr, "%s\n", text_of_cycle(keys).c_str());
  std::abort();
#endif
}

template <class Key, class Predecessors, class Compute, class Color, class Keys, class Trace>
auto compute_sink_in_strand(const Key& sink,
                            const graph::nodes<Predecessors, Compute, Color, Keys, Trace>& given) {
  using calls = graph_calls<Key, graph::nodes<Predecessors, Compute, Color, Keys, Trace>>;
  calls user{given};
  if constexpr (calls::colored) {
    check_patience(given.coloring.patience);
    user.color_count = color_count_of_run(given.coloring.of);
  }
  auto all = nodes_of<Key, Keys>::make(given.keys);
  graph_run<decltype(all), calls> run(all, user, given.coloring.of, given.coloring.patience);
  node_number last = nobody;
  const auto run_traced = [&] {
    if constexpr (calls::traced) {
      if (given.trace != nullptr) {
        tracing_of_run<Key, decltype(run), decltype(all), calls> tracing(run, all, user);
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
    throw_cycle(keys_of_cycle<Key>(run, all, user, waits));
  }
  if constexpr (!std::is_void_v<typename calls::value>) return run.values().take(last);
}

template <class Key, class Nodes>
auto compute_sink(const Key& sink, const Nodes& given) {
  auto compute = [&] { return call_for_run([&] { return compute_sink_in_strand(sink, given); }); };
  if (in_strand()) return compute();
  using value = decltype(compute());
  if constexpr (std::is_void_v<value>) {
    run_region(nullptr, compute);
  } else {
    std::optional<value> result;
    auto inside = [&] { result.emplace(compute()); };
    run_region(nullptr, inside);
    return std::move(*result);
  }
}

}  // namespace sennit::detail
