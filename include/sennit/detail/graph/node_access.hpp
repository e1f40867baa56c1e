// What a node's function sees of the run.
#pragma once

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

}  // namespace sennit::detail
