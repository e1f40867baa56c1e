// SPDX-License-Identifier: Apache-2.0
// Where the data of a task flow lies.
#pragma once

#include <sennit/placement.hpp>

#include <cstdint>

namespace sennit::detail {

inline constexpr std::uint8_t no_flow_color = 255;
// Of a task that has a priority in place of a color.
inline constexpr std::uint8_t by_priority = 254;

// The NUMA node of the page with this address; -1 if nobody has touched the page. Tests have nodes of their own.
using node_of_address = int(std::uintptr_t address);
SENNIT_EXPORT extern constinit node_of_address* asks_for_node;

inline std::uint8_t flow_color_at(std::uintptr_t address, unsigned colors) {
  const std::uintptr_t page = address - address % bytes_of_page();
  const int node = asks_for_node != nullptr ? asks_for_node(address)
                                            : nodes_of_pages(reinterpret_cast<const void*>(page), 1).front();
  return node >= 0 && static_cast<unsigned>(node) < colors ? static_cast<std::uint8_t>(node) : no_flow_color;
}

}  // namespace sennit::detail
