// SPDX-License-Identifier: Apache-2.0
// How a run calls a graph's functions.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/alive.hpp>
#include <sennit/detail/graph/declarations.hpp>
#include <sennit/detail/graph/failed_call.hpp>
#include <sennit/detail/graph/limited_work.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/node_access.hpp>
#include <sennit/detail/graph/node_colors.hpp>
#include <sennit/detail/graph/node_failure.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// The functions of a graph in the form that graph_run takes.
template <class Key, class Nodes>
struct graph_calls;

template <class Key, class Predecessors, class Compute, class Color, class Keys, class Trace, class MostAlive,
          class Priority, class Within>
struct graph_calls<Key,
                   graph::nodes<Predecessors, Compute, Color, Keys, Trace, MostAlive, Priority, Within>> {
  using node = graph::node<Key, Predecessors, Compute>;
  using value = node_value<Key, Predecessors, Compute>;
  static constexpr bool prioritized = !std::is_same_v<Priority, graph::no_priority>;
  static constexpr bool colored = !std::is_same_v<Color, graph::no_color> && !prioritized;
  static constexpr bool takes_node = std::is_invocable_v<const Compute&, const Key&, node&>;
  static constexpr bool traced = !std::is_same_v<Trace, graph::no_trace>;
  static constexpr bool limited = !std::is_same_v<Within, graph::no_limit>;
  static constexpr bool bounded = !std::is_same_v<MostAlive, graph::no_bound>;

  const graph::nodes<Predecessors, Compute, Color, Keys, Trace, MostAlive, Priority, Within>& given;
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
                         [&] { return int{std::invoke(given.priority, k)}; });
  }

  // Throws std::bad_alloc, and node_error.
  void find_limits(const Key& k, item_limits& limits) const {
    call_for_node("asking for the limits of ", k, [&] {
      auto&& found = std::invoke(given.within, k);
      if constexpr (std::convertible_to<decltype(found), limit*>) {
        limit* const one = found;
        limits.set(std::span(&one, 1));
      } else {
        std::vector<limit*> all;
        for (limit* const one : found) all.push_back(one);
        limits.set(all);
      }
    });
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
      if constexpr (bounded) measure(n, k, values);
    }
  }

  // How much may be alive. Throws std::invalid_argument.
  alive_amount most_alive() const {
    if constexpr (std::integral<MostAlive>) {
      if (std::cmp_less(given.most_alive, 1)) throw_no_bound(static_cast<long long>(given.most_alive));
      return {.values = static_cast<std::size_t>(given.most_alive), .bytes = unlimited};
    } else {
      check_alive(given.most_alive.values, given.most_alive.bytes, counts_bytes);
      return {.values = given.most_alive.values, .bytes = given.most_alive.bytes};
    }
  }
  // What was alive, for who asked for it.
  template <class Bound>
  void tell_seen(const Bound& bound) const noexcept {
    if constexpr (!std::integral<MostAlive>) {
      if (given.most_alive.seen == nullptr) return;
      const alive_amount most = bound.seen();
      *given.most_alive.seen = {.values = most.values, .bytes = most.bytes, .beyond = bound.went_beyond()};
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

 private:
  static constexpr bool counts_bytes = requires(const MostAlive& m) { m.bytes_of; } &&
                                       !std::is_same_v<MostAlive, graph::alive<graph::no_bytes_of>>;
  template <class Values>
  void measure(node_number n, const Key& k, Values& values) const {
    if constexpr (counts_bytes) {
      call_for_node("asking for the bytes of ", k, [&] {
        values.measure(n, [&](const value& v) {
          return static_cast<std::size_t>(std::invoke(given.most_alive.bytes_of, v));
        });
      });
    }
  }
};

}  // namespace sennit::detail
