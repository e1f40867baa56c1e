// SPDX-License-Identifier: Apache-2.0
// What a node's function sees of the run.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/declarations.hpp>

#include <type_traits>

namespace sennit::detail {

template <class Key>
struct node_access {
  const void* (*value)(void* strand, const Key& predecessor);
  void (*create)(void* strand, const Key& k);
};

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

// Stands in for the function of a node in the type of its argument: a function whose return type has to be
// deduced is first called with this one. If it reads values, it can be told why it must state the type.
template <class Compute>
struct undeduced;
template <class Compute>
inline constexpr bool is_undeduced = false;
template <class Compute>
inline constexpr bool is_undeduced<undeduced<Compute>> = true;

template <class Key>
class any_compute;
template <class>
inline constexpr bool is_any_compute = false;
template <class Key>
inline constexpr bool is_any_compute<any_compute<Key>> = true;

// Says why a node has no value to read.
template <class Compute>
consteval void require_value() {
  if constexpr (is_any_compute<Compute>) {
    static_assert(never<Compute>, "graph::run: .compute reads a value, but nodes that are given in braces "
                                  "alone have none; write sennit::graph::nodes{...}");
  } else {
    static_assert(never<Compute>, "graph::run: .compute reads a value, but returns void, so that "
                                  "nodes have none");
  }
}

}  // namespace sennit::detail
