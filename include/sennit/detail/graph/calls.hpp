// How a run calls a graph's functions.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/declarations.hpp>
#include <sennit/detail/graph/failed_call.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/node_access.hpp>
#include <sennit/detail/graph/node_colors.hpp>
#include <sennit/detail/graph/node_failure.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <type_traits>
#include <vector>

namespace sennit::detail {

// The functions of a graph in the form that graph_run takes.
template <class Key, class Nodes>
struct graph_calls;

template <class Key, class Predecessors, class Compute, class Color, class Keys, class Trace, class Priority>
struct graph_calls<Key, graph::nodes<Predecessors, Compute, Color, Keys, Trace, Priority>> {
  using node = graph::node<Key, Predecessors, Compute>;
  using value = node_value<Key, Predecessors, Compute>;
  static constexpr bool prioritized = !std::is_same_v<Priority, graph::no_priority>;
  static constexpr bool colored = !std::is_same_v<Color, graph::no_color> && !prioritized;
  static constexpr bool takes_node = std::is_invocable_v<const Compute&, const Key&, node&>;
  static constexpr bool traced = !std::is_same_v<Trace, graph::no_trace>;

  const graph::nodes<Predecessors, Compute, Color, Keys, Trace, Priority>& given;
  unsigned color_count = 0;  // the number of colors of a colored graph

  SENNIT_INLINE decltype(auto) predecessors(const Key& k) const {
    return call_for_node("asking for the predecessors of ", k,
                         [&]() -> decltype(auto) { return std::invoke(given.predecessors, k); });
  }

  SENNIT_INLINE std::uint64_t colors(const Key& k) const {
    return call_for_node("asking for the color of ", k, [&] {
      auto&& c = std::invoke(given.color, k);
      if constexpr (std::integral<std::remove_cvref_t<decltype(c)>>) {
        return bit_of_color(c, color_count);
      } else {
        return bits_of_colors(c, color_count);
      }
    });
  }
  // The same as numbers.
  std::vector<std::uint32_t> list_of_colors(const Key& k) const {
    std::vector<std::uint32_t> list;
    const auto add = [&](auto color) {
      if (bit_of_color(color, color_count) != 0) list.push_back(static_cast<std::uint32_t>(color));
    };
    call_for_node("asking for the color of ", k, [&] {
      auto&& c = std::invoke(given.color, k);
      if constexpr (std::integral<std::remove_cvref_t<decltype(c)>>) {
        add(c);
      } else {
        for_each_color(c, add);
      }
    });
    return list;
  }

  int priority(const Key& k) const {
    return call_for_node("asking for the priority of ", k,
                         [&] { return static_cast<int>(std::invoke(given.priority, k)); });
  }

  template <class Strand, class Values>
  SENNIT_INLINE void compute(node_number n, Strand& strand, Values& values) const {
    auto&& k = strand.key_of(n);
    const auto call = [&]() -> decltype(auto) {
      if constexpr (takes_node) {
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
    return failure_of_node(computing, k);
  }
#endif

  template <class Strand>
  static constexpr node_access<Key> access{
      [](void* strand, const Key& p) -> const void* {
        if constexpr (std::is_void_v<value>) {
          return nullptr;
        } else {
          return call_for_program([&] { return &static_cast<Strand*>(strand)->value_of(p); });
        }
      },
      [](void* strand, const Key& k) { call_for_program([&] { static_cast<Strand*>(strand)->create(k); }); }};
};

}  // namespace sennit::detail
