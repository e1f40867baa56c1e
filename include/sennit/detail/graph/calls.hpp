// How a run calls a graph's functions.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/dense.hpp>
#include <sennit/detail/graph/hashed.hpp>
#include <sennit/detail/graph/keys.hpp>
#include <sennit/detail/graph/run.hpp>
#include <sennit/detail/graph/tracing.hpp>
#include <sennit/region.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sennit::graph {
template <class>
struct hashed;
template <std::size_t>
struct dense;
struct coloring;
struct no_color;
class trace;
struct no_trace;
template <class, class, class, class, class>
struct nodes;
template <class, class, class>
class node;
class node_error;
template <class>
class cycle_error;
}  // namespace sennit::graph

namespace sennit::detail {

template <class Key>
struct node_access {
  const void* (*value)(void* strand, const Key& predecessor);
  void (*create)(void* strand, const Key& k);
};

template <class Key>
std::string text_of_cycle(const std::vector<Key>& keys) {
  constexpr std::size_t most_named = 20;
  std::string text = "sennit: nodes of a graph wait for one another: " + text_of_key(keys.front());
  for (std::size_t i = 1; i < keys.size() && i < most_named; ++i) text += " needs " + text_of_key(keys[i]);
  if (keys.size() > most_named)
    text += " needs " + std::to_string(keys.size() - most_named) + " more, the last of which";
  return text + " needs " + text_of_key(keys.front());
}

// The bit of a color; no bit for a number that is not a place's.
template <std::integral Color>
constexpr std::uint64_t bit_of_color(Color c, unsigned count) noexcept {
  return std::cmp_greater_equal(c, 0) && std::cmp_less(c, count) ? color_bit(static_cast<unsigned>(c)) : 0;
}

// The colors with at least half of the largest weight.
template <class Range, class Do>
void for_each_color(const Range& weighted, Do&& do_with) {
  double most = 0;
  for (const auto& [color, weight] : weighted) most = weight > most ? weight : most;
  for (const auto& [color, weight] : weighted) {
    if (weight > 0 && 2 * weight >= most) do_with(color);
  }
}
template <class Range>
std::uint64_t bits_of_colors(const Range& weighted, unsigned count) {
  std::uint64_t bits = 0;
  for_each_color(weighted, [&](auto color) { bits |= bit_of_color(color, count); });
  return bits;
}

// The type of the result is asked for only with the parameters that the function has: a function that takes
// a node may not be callable without one.
template <class Key, class Predecessors, class Compute>
constexpr auto value_returned() {
  using node = graph::node<Key, Predecessors, Compute>;
  if constexpr (std::is_invocable_v<const Compute&, const Key&, node&>) {
    return std::type_identity<std::remove_cvref_t<std::invoke_result_t<const Compute&, const Key&, node&>>>();
  } else {
    return std::type_identity<std::remove_cvref_t<std::invoke_result_t<const Compute&, const Key&>>>();
  }
}
template <class Key, class Predecessors, class Compute>
using node_value = typename decltype(value_returned<Key, Predecessors, Compute>())::type;

// The functions of a graph in the form that graph_run takes.
template <class Key, class Nodes>
struct graph_calls;

template <class Key, class Predecessors, class Compute, class Color, class Keys, class Trace>
struct graph_calls<Key, graph::nodes<Predecessors, Compute, Color, Keys, Trace>> {
  using node = graph::node<Key, Predecessors, Compute>;
  using value = node_value<Key, Predecessors, Compute>;
  static constexpr bool colored = !std::is_same_v<Color, graph::no_color>;
  static constexpr bool traced = !std::is_same_v<Trace, graph::no_trace>;
  static_assert(!traced || std::is_convertible_v<Trace, graph::trace*>,
                ".trace is a pointer to a graph::trace");

  const graph::nodes<Predecessors, Compute, Color, Keys, Trace>& given;
  unsigned color_count = 0;  // the number of colors of a colored graph

  SENNIT_INLINE decltype(auto) predecessors(const Key& k) const { return std::invoke(given.predecessors, k); }

  SENNIT_INLINE std::uint64_t colors(const Key& k) const {
    auto&& c = std::invoke(given.color, k);
    if constexpr (std::integral<std::remove_cvref_t<decltype(c)>>) {
      return bit_of_color(c, color_count);
    } else {
      return bits_of_colors(c, color_count);
    }
  }
  // The same as numbers.
  std::vector<std::uint32_t> list_of_colors(const Key& k) const {
    std::vector<std::uint32_t> list;
    const auto add = [&](auto color) {
      if (bit_of_color(color, color_count) != 0) list.push_back(static_cast<std::uint32_t>(color));
    };
    auto&& c = std::invoke(given.color, k);
    if constexpr (std::integral<std::remove_cvref_t<decltype(c)>>) {
      add(c);
    } else {
      for_each_color(c, add);
    }
    return list;
  }

  template <class Strand, class Values>
  SENNIT_INLINE void compute(node_number n, Strand& strand, Values& values) const {
    auto&& k = strand.key_of(n);
    const auto call = [&]() -> decltype(auto) {
      if constexpr (std::is_invocable_v<const Compute&, const Key&, node&>) {
        node here(k, given.predecessors, access<Strand>, &strand);
        return std::invoke(given.compute, k, here);
      } else {
        return std::invoke(given.compute, k);
      }
    };
    if constexpr (std::is_void_v<value>) {
      call();
    } else {
      values.put(n, call);
    }
  }

#if SENNIT_EXCEPTIONS
  // Called in a catch handler: the exception with which the run will end.
  static std::exception_ptr failure(bool computing, const Key& k) noexcept {
    try {
      try {
        throw;
      } catch (const sennit::cancelled&) {
        return std::current_exception();
      } catch (const std::bad_alloc&) {
        return std::current_exception();
      } catch (const std::exception& thrown) {
        wrap(computing, k, thrown.what());
      } catch (...) {
        wrap(computing, k, "something that is no std::exception");
      }
    } catch (...) {
      return std::current_exception();
    }
  }

 private:
  [[noreturn]] static void wrap(bool computing, const Key& k, const char* thrown) {
    std::throw_with_nested(graph::node_error(
        std::string("sennit: ") + (computing ? "computing the node " : "asking for the predecessors of ") +
        text_of_key(k) + ": " + thrown));
  }
#endif

 public:
  template <class Strand>
  static constexpr node_access<Key> access{
      [](void* strand, const Key& p) -> const void* {
        if constexpr (std::is_void_v<value>) {
          return nullptr;
        } else {
          return &static_cast<Strand*>(strand)->value_of(p);
        }
      },
      [](void* strand, const Key& k) { static_cast<Strand*>(strand)->create(k); }};
};

template <class Key, class Keys>
struct nodes_of;
template <class Key>
struct nodes_of<Key, graph::hashed<void>> {
  using type = hashed_nodes<Key>;
  static type make(const graph::hashed<void>&) { return type(); }
};
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

// Follows predecessors from a node that waits for ever, until a node repeats.
template <class Key, class Run, class All>
std::vector<Key> cycle_from(Run& run, All& all, node_number n) {
  std::vector<node_number> path;
  std::unordered_map<node_number, std::size_t> position;
  while (position.try_emplace(n, path.size()).second) {
    path.push_back(n);
    n = run.waiting_predecessor(n);
    if (n == nobody) throw_other_answer(text_of_key<Key>(all.key_of(path.back())));
  }
  std::vector<Key> keys;
  for (std::size_t i = position.at(n); i < path.size(); ++i) keys.push_back(all.key_of(path[i]));
  return keys;
}

// Writes what the run computed into its trace.
template <class Key, class Run, class All, class Calls>
void fill_trace(Run& run, All& all, const Calls& calls, std::uint64_t length) {
  trace_filler filler(*calls.given.trace, run.tracing().take(), length);
  if constexpr (Calls::colored) filler.set_colors(calls.given.coloring.of, calls.color_count);
  typename All::supply supply;
  const std::size_t count = filler.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& k = all.key_of(filler.number(i));
    filler.set_key(i, label_of_key(k));
    if constexpr (Calls::colored) filler.set_colors(i, calls.list_of_colors(k));
    if (!filler.wants_predecessors()) continue;
    for (const Key& p : calls.predecessors(k)) filler.add_predecessor(i, all.find_or_make(p, supply));
  }
  filler.finish();
}

// A traced run calls it when it begins, and when it ends, before anything is thrown.
template <class Key, class Run, class All, class Calls>
class tracing_of_run {
 public:
  tracing_of_run(Run& run, All& all, const Calls& calls) : run_(run), all_(all), calls_(calls) {
    clear_trace(*calls.given.trace);
    run_.tracing().begin();
    if constexpr (Calls::colored) run_.tracing().places = calls.given.coloring.of;
  }
  // `failed`: the run throws another exception, which a failure of the trace must not hide.
  void finish(bool failed) {
    const std::uint64_t length = trace_now_ns() - run_.tracing().begun();
#if SENNIT_EXCEPTIONS
    try {
      fill_trace<Key>(run_, all_, calls_, length);
    } catch (...) {
      clear_trace(*calls_.given.trace);
      if (!failed) throw;
    }
#else
    fill_trace<Key>(run_, all_, calls_, length);
    static_cast<void>(failed);
#endif
  }

 private:
  Run& run_;
  All& all_;
  const Calls& calls_;
};

template <class Key, class Predecessors, class Compute, class Color, class Keys, class Trace>
auto run_here(const Key& sink, const graph::nodes<Predecessors, Compute, Color, Keys, Trace>& given) {
  using calls = graph_calls<Key, graph::nodes<Predecessors, Compute, Color, Keys, Trace>>;
  calls user{given};
  if constexpr (calls::colored) {
    check_patience(given.coloring.patience);
    user.color_count = color_count_of_run(given.coloring.of);
  }
  auto all = nodes_of<Key, Keys>::make(given.keys);
  auto run = [&] {
    if constexpr (calls::colored) {
      return graph_run<decltype(all), calls>(all, user, given.coloring.of, given.coloring.patience);
    } else {
      return graph_run<decltype(all), calls>(all, user);
    }
  }();
  node_number last = nobody;
  const auto run_traced = [&] {
    if constexpr (calls::traced) {
      if (given.trace != nullptr) {
        tracing_of_run<Key, decltype(run), decltype(all), calls> tracing(run, all, user);
        last = run.run(sink);
        return tracing.finish(run.failed() || !run.is_computed(last));
      }
    }
    last = run.run(sink);
  };
  run_traced();
  run.throw_failure();
  const node_number waits = run.is_computed(last) ? run.waits_for_ever() : last;
  if (waits != nobody) {
    run.values().fail();
#if SENNIT_EXCEPTIONS
    throw graph::cycle_error<Key>(cycle_from<Key>(run, all, waits));
#else
    std::fprintf(stderr, "%s\n", text_of_cycle(cycle_from<Key>(run, all, waits)).c_str());
    std::abort();
#endif
  }
  if constexpr (!std::is_void_v<typename calls::value>) return run.values().take(last);
}

template <class Key, class Nodes>
auto run_graph(const Key& sink, const Nodes& given) {
  if (in_strand()) return run_here(sink, given);
  using value = decltype(run_here(sink, given));
  if constexpr (std::is_void_v<value>) {
    auto inside = [&] { run_here(sink, given); };
    run_region(nullptr, inside);
  } else {
    std::optional<value> result;
    auto inside = [&] { result.emplace(run_here(sink, given)); };
    run_region(nullptr, inside);
    return std::move(*result);
  }
}

// Functions behind pointers, for graph::any_nodes.
template <class Key>
class any_predecessors {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, any_predecessors> &&
             std::is_invocable_v<const F&, const Key&>)
  any_predecessors(F f)
      : f_([f = std::move(f)](const Key& k) {
          std::vector<Key> keys;
          for (auto&& p : std::invoke(f, k)) keys.push_back(p);
          return keys;
        }) {}
  std::vector<Key> operator()(const Key& k) const { return f_(k); }

 private:
  std::function<std::vector<Key>(const Key&)> f_;
};

template <class Key>
class any_compute {
 public:
  using node = graph::node<Key, any_predecessors<Key>, any_compute>;

  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, any_compute>)
  any_compute(F f)
      : f_([f = std::move(f)](const Key& k, node& n) {
          if constexpr (std::is_invocable_v<const F&, const Key&, node&>) {
            std::invoke(f, k, n);
          } else {
            std::invoke(f, k);
          }
        }) {}
  void operator()(const Key& k, node& n) const { f_(k, n); }

 private:
  std::function<void(const Key&, node&)> f_;
};

template <class Key>
class any_color {
 public:
  any_color() = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, any_color> && std::is_invocable_v<const F&, const Key&>)
  any_color(F f) : f_(std::move(f)) {}
  bool given() const noexcept { return f_ != nullptr; }
  long operator()(const Key& k) const { return f_(k); }

 private:
  std::function<long(const Key&)> f_;
};

}  // namespace sennit::detail
