// SPDX-License-Identifier: Apache-2.0
// The compilers' messages for a graph whose functions do not fit its keys.
#pragma once

#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/graph/declarations.hpp>
#include <sennit/detail/graph/key_hash.hpp>
#include <sennit/detail/graph/keys.hpp>
#include <sennit/detail/graph/node_access.hpp>

#include <concepts>
#include <cstddef>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sennit {
class limit;
}

namespace sennit::detail {

template <class Key>
consteval bool has_hash() {
  if constexpr (integral_key<Key> || has_standard_hash<Key>) {
    return true;
  } else if constexpr (tuple_key<Key>) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (has_hash<std::remove_cvref_t<std::tuple_element_t<I, Key>>>() && ...);
    }(std::make_index_sequence<std::tuple_size_v<Key>>());
  } else {
    return false;
  }
}
template <class Hash, class Key>
inline constexpr bool can_hash =
    std::is_invocable_r_v<std::size_t, const Hash&, const Key&> && std::is_default_constructible_v<Hash>;
template <class Key>
inline constexpr bool can_hash<void, Key> = has_hash<Key>();

// How many numbers a dense graph takes a key for; 0 if .keys is not dense(...).
template <class Keys>
inline constexpr std::size_t rank_of_dense = 0;
template <std::size_t Rank>
inline constexpr std::size_t rank_of_dense<graph::dense<Rank>> = Rank;
// The H of hashed<H>; `no_hash` if .keys is not hashed.
struct no_hash;
template <class Keys>
struct hash_of_keys : std::type_identity<no_hash> {};
template <class Hash>
struct hash_of_keys<graph::hashed<Hash>> : std::type_identity<Hash> {};

template <class Key>
consteval bool has_integral_parts() {
  if constexpr (tuple_key<Key>) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (integral_key<std::remove_cvref_t<std::tuple_element_t<I, Key>>> && ...);
    }(std::make_index_sequence<std::tuple_size_v<Key>>());
  } else {
    return integral_key<Key>;
  }
}

template <class Predecessors, class Key>
concept gives_a_range = std::invocable<const Predecessors&, const Key&> &&
                        std::ranges::input_range<std::invoke_result_t<const Predecessors&, const Key&>>;
template <class Predecessors, class Key>
concept gives_keys =
    gives_a_range<Predecessors, Key> &&
    std::convertible_to<std::ranges::range_reference_t<std::invoke_result_t<const Predecessors&, const Key&>>,
                        Key>;

template <class Weighted>
concept color_with_weight = requires(const Weighted& w) {
  w.color;
  w.weight;
} || (tuple_key<Weighted> && std::tuple_size<Weighted>::value == 2);
template <class Colors>
concept colors_of_node =
    std::integral<std::remove_cvref_t<Colors>> ||
    (std::ranges::forward_range<Colors> && color_with_weight<std::ranges::range_value_t<Colors>>);
template <class Color, class Key>
concept gives_colors =
    std::same_as<Color, graph::no_color> || (std::invocable<const Color&, const Key&> &&
                                             colors_of_node<std::invoke_result_t<const Color&, const Key&>>);

// Each of these says what is wrong with one field. They return whether nothing is.
template <class Key, class Keys>
consteval bool require_keys() {
  using hash = typename hash_of_keys<Keys>::type;
  if constexpr (!std::copy_constructible<Key> || !std::equality_comparable<Key>) {
    static_assert(never<Key>, "graph::run: the sink cannot be a key: keys are copied and compared by ==; "
                              "define these operations for its type");
    return false;
  } else if constexpr (rank_of_dense<Keys> != 0) {
    constexpr bool integral = has_integral_parts<Key>();
    static_assert(integral, "graph::run: .keys is dense, but the sink is no integer, and no tuple of "
                            "integers; give .keys = sennit::graph::hashed<>()");
    static_assert(!integral || rank_of<Key>() == rank_of_dense<Keys>,
                  "graph::run: .keys has another number of extents than the sink has parts; dense(...) "
                  "takes as many extents as its keys have parts");
    return integral && rank_of<Key>() == rank_of_dense<Keys>;
  } else if constexpr (std::same_as<hash, no_hash>) {
    static_assert(never<Keys>, "graph::run: .keys is neither sennit::graph::hashed<H>() nor "
                               "sennit::graph::dense(extents...)");
    return false;
  } else {
    static_assert(can_hash<hash, Key>, "graph::run: the keys have no hash; specialize std::hash for their "
                                       "type, or give .keys = sennit::graph::hashed<H>()");
    return can_hash<hash, Key>;
  }
}

template <class Key, class Predecessors>
consteval bool require_predecessors() {
  if constexpr (!std::invocable<const Predecessors&, const Key&>) {
    static_assert(never<Predecessors, Key>, "graph::run: .predecessors cannot be called with a key, which "
                                            "has the type of the sink; give both the same type, and a "
                                            "function that can be called as a constant");
    return false;
  } else if constexpr (!gives_a_range<Predecessors, Key>) {
    static_assert(
        never<Predecessors, Key>,
        "graph::run: .predecessors does not return a range; return a std::vector of the keys that are to be "
        "computed before");
    return false;
  } else {
    // Of a concept, compilers would say why it is false.
    constexpr bool keys = gives_keys<Predecessors, Key>;
    static_assert(
        keys,
        "graph::run: .predecessors returns keys of another type than the sink; give both the same type");
    return keys;
  }
}

// Where the return type is not stated, this compiles the function. A function that reads values is refused
// there, by node::value().
template <class Key, class Compute, class Node>
consteval bool require_stated_result() {
  if constexpr (requires(const Compute& c, const Key& k, Node& n) { c(k, n); }) return true;
  return true;
}

template <class Key, class Compute, class Node>
consteval bool require_compute() {
  constexpr bool called = std::is_invocable_v<const Compute&, const Key&, Node&> ||
                          std::is_invocable_v<const Compute&, const Key&>;
  static_assert(
      called, "graph::run: .compute can be called neither with a key, which has the type of the sink, nor "
              "with a key and a node, as [](const K& key, auto& node) -> T can; it is called as a constant");
  return called;
}

template <class Key, class Color>
consteval bool require_color() {
  if constexpr (!std::same_as<Color, graph::no_color> && !std::invocable<const Color&, const Key&>) {
    static_assert(
        never<Color, Key>,
        "graph::run: .color cannot be called with a key, which has the type of the sink; it is called as a "
        "constant");
    return false;
  } else {
    constexpr bool colors = gives_colors<Color, Key>;
    static_assert(colors, "graph::run: .color returns neither an integer nor a range of "
                          "sennit::graph::weighted_color");
    return colors;
  }
}

// In braces without nodes{...}, a color is one place.
template <class Key, class Color>
consteval bool require_any_color() {
  constexpr bool color = std::is_invocable_r_v<long, const Color&, const Key&>;
  static_assert(color, "graph::run: .color cannot be called with a key, which has the type of the sink, or "
                       "does not return an integer; it is called as a constant");
  return color;
}

template <class Trace>
consteval bool require_trace() {
  constexpr bool is_pointer =
      std::same_as<Trace, graph::no_trace> || std::convertible_to<Trace, graph::trace*>;
  static_assert(is_pointer, "graph::run: .trace is no pointer to a sennit::graph::trace; give .trace = &t");
  return is_pointer;
}

template <class MostAlive>
inline constexpr bool is_alive = std::integral<MostAlive> && !std::same_as<MostAlive, bool>;
template <class BytesOf>
inline constexpr bool is_alive<graph::alive<BytesOf>> = true;
template <class MostAlive, class Value>
inline constexpr bool counts_bytes_of = true;
template <class BytesOf, class Value>
  requires(!std::same_as<BytesOf, graph::no_bytes_of>)
inline constexpr bool counts_bytes_of<graph::alive<BytesOf>, Value> =
    std::is_invocable_r_v<std::size_t, const BytesOf&, const Value&>;

template <class Key, class Predecessors, class Compute, class MostAlive>
consteval bool require_most_alive() {
  if constexpr (std::same_as<MostAlive, graph::no_bound>) {
    return true;
  } else if constexpr (!is_alive<MostAlive>) {
    static_assert(never<MostAlive>, "graph::run: .most_alive is neither a number of values nor "
                                    "sennit::graph::alive{...}");
    return false;
  } else if constexpr (std::is_void_v<node_value<Key, Predecessors, Compute>>) {
    static_assert(never<MostAlive>, "graph::run: .most_alive is given, but .compute returns void, so that "
                                    "nodes have no values; leave it out, or return values");
    return false;
  } else {
    constexpr bool counted = counts_bytes_of<MostAlive, node_value<Key, Predecessors, Compute>>;
    static_assert(counted,
                  "graph::run: .most_alive has a bytes_of that cannot be called with a value, or does "
                  "not return an integer; it is called as a constant, with what .compute returns");
    return counted;
  }
}

// Others would be cut: 0.3 and 0.7, or what does not fit into an int.
template <class Priority, class Key>
concept priority_call =
    std::invocable<const Priority&, const Key&> && requires(const Priority& p, const Key& k) {
      requires std::integral<std::remove_cvref_t<decltype(std::invoke(p, k))>>;
      int{std::invoke(p, k)};
    };

template <class Key, class MostAlive, class Priority>
consteval bool require_priority() {
  constexpr bool alone =
      std::same_as<Priority, graph::no_priority> || std::same_as<MostAlive, graph::no_bound>;
  static_assert(
      alone,
      "graph::run: .priority and .most_alive order the same nodes in different ways; give one of them");
  constexpr bool priority = std::same_as<Priority, graph::no_priority> || priority_call<Priority, Key>;
  static_assert(priority,
                "graph::run: .priority cannot be called with a key, which has the type of the sink, or "
                "does not return an int; it is called as a constant");
  return alone && priority;
}

template <class Within>
concept limits_of_node =
    std::convertible_to<Within, limit*> ||
    (std::ranges::input_range<Within> && std::convertible_to<std::ranges::range_reference_t<Within>, limit*>);

template <class Key, class Within>
consteval bool require_within() {
  if constexpr (std::same_as<Within, graph::no_limit>) {
    return true;
  } else if constexpr (!std::invocable<const Within&, const Key&>) {
    static_assert(never<Within, Key>,
                  "graph::run: .within cannot be called with a key, which has the type of the sink; it is "
                  "called as a constant");
    return false;
  } else {
    constexpr bool limits = limits_of_node<std::invoke_result_t<const Within&, const Key&>>;
    static_assert(limits, "graph::run: .within returns neither a sennit::limit* nor a range of them; return "
                          "the address of the node's limit, or nullptr for none");
    return limits;
  }
}

// Whether the graph can be run. Only the first fault is refused.
template <class Key, class Predecessors, class Compute, class Color, class Keys, class Trace, class MostAlive,
          class Priority, class Within>
consteval bool require_graph() {
  using graph::node;
  if constexpr (!require_keys<Key, Keys>()) {
    return false;
  } else if constexpr (!require_predecessors<Key, Predecessors>()) {
    return false;
  } else if constexpr (!require_stated_result<Key, Compute, node<Key, Predecessors, undeduced<Compute>>>()) {
    return false;
  } else if constexpr (!require_compute<Key, Compute, node<Key, Predecessors, Compute>>()) {
    return false;
  } else if constexpr (!require_color<Key, Color>()) {
    return false;
  } else if constexpr (!require_trace<Trace>()) {
    return false;
  } else {
    if constexpr (!require_most_alive<Key, Predecessors, Compute, MostAlive>()) {
      return false;
    } else {
      if constexpr (!require_priority<Key, MostAlive, Priority>()) {
        return false;
      } else {
        return require_within<Key, Within>();
      }
    }
  }
}

}  // namespace sennit::detail
