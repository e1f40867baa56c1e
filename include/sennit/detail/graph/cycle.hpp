// SPDX-License-Identifier: Apache-2.0
// Nodes that wait for one another.
#pragma once

#include <sennit/detail/graph/key_text.hpp>
#include <sennit/detail/graph/node.hpp>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace sennit::detail {

template <class Key>
std::string text_of_cycle(const std::vector<Key>& keys) {
  constexpr std::size_t most_named = 20;
  std::string text = "sennit: nodes of a graph wait for one another: " + text_of_key(keys.front());
  for (std::size_t i = 1; i < keys.size() && i < most_named; ++i) text += " needs " + text_of_key(keys[i]);
  if (keys.size() > most_named)
    text += " needs " + std::to_string(keys.size() - most_named) + " more, the last of which";
  return text + " needs " + text_of_key(keys.front());
}

// A cycle of nodes that wait for one another, found from a node that waits for ever. `awaited(n)`: a node
// that n waits for, and that waits for ever, too; it may differ from one call to the next.
template <class Awaited>
std::vector<node_number> cycle_from(node_number n, Awaited&& awaited) {
  std::vector<node_number> path;
  std::unordered_map<node_number, std::size_t> place_of;
  while (place_of.try_emplace(n, path.size()).second) {
    path.push_back(n);
    n = awaited(n);
  }
  path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(place_of.at(n)));
  return path;
}

}  // namespace sennit::detail
