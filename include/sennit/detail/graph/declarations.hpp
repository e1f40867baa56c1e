// SPDX-License-Identifier: Apache-2.0
// The names of sennit/graph.hpp that its details know.
#pragma once

#include <cstddef>

namespace sennit::graph {
template <class>
struct hashed;
template <std::size_t>
struct dense;
struct coloring;
struct no_color;
class trace;
struct no_trace;
struct no_bound;
struct no_bytes_of;
struct alive_seen;
template <class>
struct alive;
struct no_priority;
struct no_limit;
template <class, class, class, class, class, class, class, class>
struct nodes;
template <class, class, class>
class node;
class node_error;
template <class>
class cycle_error;
}  // namespace sennit::graph
