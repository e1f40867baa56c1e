// The compilers' messages for a graph whose functions do not fit its keys.
#pragma once

#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/graph/declarations.hpp>
#include <sennit/detail/graph/key_hash.hpp>
#include <sennit/detail/graph/keys.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

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
template <class Keys, class Key>
inline constexpr bool can_hash = true;
template <class Key>
inline constexpr bool can_hash<graph::hashed<void>, Key> = has_hash<Key>();
template <class Hash, class Key>
  requires(!std::is_void_v<Hash>)
inline constexpr bool can_hash<graph::hashed<Hash>, Key> = std::invocable<const Hash&, const Key&>;

template <class Predecessors, class Key>
concept gives_a_range = std::invocable<const Predecessors&, const Key&> &&
                        std::ranges::input_range<std::invoke_result_t<const Predecessors&, const Key&>>;
template <class Predecessors, class Key>
concept gives_keys =
    gives_a_range<Predecessors, Key> &&
    std::convertible_to<std::ranges::range_reference_t<std::invoke_result_t<const Predecessors&, const Key&>>,
                        Key>;

// Whether the graph can be run.
template <class Key, class Predecessors, class Compute, class Color, class Keys>
consteval bool require_graph() {
  if constexpr (!std::copy_constructible<Key> || !std::equality_comparable<Key>) {
    static_assert(never<Key>, "graph::run: the sink cannot be a key: keys are copied and compared "
                              "by ==; define these operations for its type");
    return false;
  } else if constexpr (!std::invocable<const Predecessors&, const Key&>) {
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
  } else if constexpr (!gives_keys<Predecessors, Key>) {
    static_assert(
        never<Predecessors, Key>,
        "graph::run: .predecessors returns keys of another type than the sink; give both the same type");
    return false;
  } else if constexpr (!std::invocable<const Compute&, const Key&,
                                       graph::node<Key, Predecessors, Compute>&> &&
                       !std::invocable<const Compute&, const Key&>) {
    static_assert(
        never<Compute, Key>,
        "graph::run: .compute can be called neither with a key, which has the type of the sink, "
        "nor with a key and a node, as [](const K& key, auto& node) -> T can; it is called as a constant");
    return false;
  } else if constexpr (!std::same_as<Color, graph::no_color> && !std::invocable<const Color&, const Key&>) {
    static_assert(
        never<Color, Key>,
        "graph::run: .color cannot be called with a key, which has the type of the sink; it is called as a "
        "constant");
    return false;
  } else if constexpr (!can_hash<Keys, Key>) {
    static_assert(never<Keys, Key>,
                  "graph::run: the keys have no hash; specialize std::hash for their type, or give .keys = "
                  "sennit::graph::hashed<H>()");
    return false;
  } else {
    return true;
  }
}

}  // namespace sennit::detail
