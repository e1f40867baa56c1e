// SPDX-License-Identifier: Apache-2.0
// A run of a graph that follows a schedule.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/calls.hpp>
#include <sennit/detail/graph/compute_sink.hpp>
#include <sennit/detail/graph/homes.hpp>

namespace sennit::detail {

// Nodes have homes in the place of colors.
template <class Key, class Nodes>
struct homed_calls : graph_calls<Key, Nodes> {
  static constexpr bool colored = false;
  static constexpr bool prioritized = false;

  homed_calls(const Nodes& given, node_homes& h) noexcept : graph_calls<Key, Nodes>{given}, homes(h) {}
  node_homes& homes;
};

template <class Key, class Nodes>
auto replay_sink(const graph::schedule& followed, fidelity how, const Key& sink, const Nodes& given) {
  return call_in_strand([&] { return compute_observed(sink, given, {.followed = &followed, .how = how}); },
                        [&] {
                          node_homes homes(followed, how);
                          return compute_sink_by(sink, given, homed_calls<Key, Nodes>(given, homes));
                        });
}

}  // namespace sennit::detail
