// graph: a graph of tasks that is found from its sink while it runs.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/calls.hpp>
#include <sennit/detail/graph/dense.hpp>
#include <sennit/detail/graph/hashed.hpp>
#include <sennit/detail/graph/refusal.hpp>
#include <sennit/detail/graph/run.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::graph {

// Where keys are hashed. Hash: as std::hash; by default std::hash, and for integers and tuples of them one of
// Sennit's. Cost: 50 to 100 ns an edge.
template <class Hash = void>
struct hashed {};

// Where keys are the points of a box: integers from 0 to an extent, or tuples (std::array, std::pair,
// std::tuple) of such. Nothing is hashed: a run allocates 16 bytes for each point of the box at once, which
// cost nothing until they are touched. At most 2^32 - 2 points; a key outside the box throws
// std::out_of_range.
template <std::size_t Rank>
struct dense {
  std::array<std::uint64_t, Rank> extents;
  template <std::integral... Extents>
    requires(sizeof...(Extents) == Rank)
  constexpr explicit dense(Extents... e) noexcept : extents{static_cast<std::uint64_t>(e)...} {}
};
template <std::integral... Extents>
dense(Extents...) -> dense<sizeof...(Extents)>;

// What places a graph's colors are: workers, (last-level) caches or (NUMA) nodes.
using places = detail::color_kind;

// How many there are in the runtime of the calling strand, or outside any in the default one; and which of
// them the worker is that runs the call.
inline unsigned color_count(places p) { return detail::color_count(p); }
inline unsigned color_here(places p) noexcept { return detail::color_here(p); }

// So many places can be colors. Where there are more of that kind, a run with a color() throws
// std::runtime_error.
inline constexpr unsigned most_colors = detail::most_colors;

// How much of a node's data is near a place, for color functions that return several.
struct weighted_color {
  unsigned color;
  double weight;
};

// How a graph with colors is spread (Maglalang, Krishnamoorthy and Agrawal, 2016, section III).
struct coloring {
  places of = places::nodes;
  // A worker's first steal in a run is of its own color; after so many attempts in vain, of any.
  unsigned first_steal_attempts = 20'000;
  // Before each attempt to steal anything, so many to steal what has the worker's color.
  unsigned colored_attempts = 400;
  // A worker that has come to the end of its work leaves nodes of other colors to them for as long as so many
  // of its own took, on average; then it takes them. From 0 to 1,000,000.
  double patience = 2;
};

struct no_color {};

class SENNIT_EXPORT trace;  // sennit/graph_trace.hpp
struct no_trace {};

// A graph, as the functions that tell what it consists of. They are called by several workers at once,
// predecessors() and color() more than once for a node, and must give the same answer each time.
//
// predecessors(key): the keys of those that are to be computed before; any range of keys. Duplicates count
// once each. compute(key) or compute(key, node): computes the node, all its predecessors having been; called
// once. `node` is a
//   graph::node. What it returns, unless void, is the node's value, which its successors can read. One that reads values
//   states its return type.
// color(key): the place that the node's data is nearest to, as an integer below color_count(), or a range of
//   weighted_color: those with at least half of the largest weight. Colors are a preference; one that is no place's does
//   no harm.
// keys: hashed<>(), hashed<H>() or dense(extents...). Hashed keys are equality comparable, copyable,
// assignable, and hashed by H
//   or std::hash.
// trace: where the run notes what was computed when, and by which worker: a graph::trace*. Some 50 to 100 ns
// a node.
template <class Predecessors, class Compute, class Color = no_color, class Keys = hashed<>,
          class Trace = no_trace>
struct nodes {
  Predecessors predecessors;
  Compute compute;
  Color color{};
  Keys keys{};
  graph::coloring coloring{};
  Trace trace{};
};

// The node that is being computed, as its function sees it.
template <class Key, class Predecessors, class Compute>
class node {
 public:
  const Key& key() const noexcept { return key_; }
  decltype(auto) predecessors() const { return predecessors_(key_); }
  // What the predecessor with that key returned. Also from branches that the function forks. Throws
  // std::logic_error where none with that key did, or where all nodes that were known to read it have been
  // computed.
  const auto& value(const Key& predecessor) {
    using value = std::remove_cvref_t<std::invoke_result_t<const Compute&, const Key&, node&>>;
    return *static_cast<const value*>(access_.value(strand_, predecessor));
  }
  // Makes the node with that key part of the run, with all that it needs, unless it is already. It may have
  // this one among its predecessors. Not from branches that the function forks. Throws std::bad_alloc.
  void create(const Key& k) { access_.create(strand_, k); }

 private:
  template <class, class>
  friend struct detail::graph_calls;
  using access = detail::node_access<Key>;

  node(const Key& k, const Predecessors& p, const access& a, void* strand) noexcept
      : key_(k), predecessors_(p), access_(a), strand_(strand) {}

  const Key& key_;
  const Predecessors& predecessors_;
  const access& access_;
  void* strand_;
};

// A node's function threw. what() names the node and says what was thrown; that itself is nested
// (std::nested_exception).
class SENNIT_EXPORT node_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Nodes wait for one another.
template <class Key>
class SENNIT_EXPORT cycle_error : public std::runtime_error {
 public:
  explicit cycle_error(std::vector<Key> found)
      : std::runtime_error(detail::text_of_cycle(found)), keys_(std::move(found)) {}
  // Each is a predecessor of the one before it, the first of the last.
  const std::vector<Key>& keys() const noexcept { return keys_; }

 private:
  std::vector<Key> keys_;
};

// Computes the sink and all that it needs: each node once, after its predecessors, those that do not depend
// on each other in parallel. Nothing is built before: nodes are made as they are asked for, depth first from
// the sink (Maglalang, Krishnamoorthy and Agrawal, 2016, section II). Returns the sink's value, if nodes have
// any.
//
// Runs in the runtime of the calling strand, or outside any in the default one. Throws node_error where one
// of the functions threw, cycle_error<Key> where nodes wait for one another, std::logic_error where
// predecessors() gives another answer than before, std::invalid_argument for a patience out of bounds,
// std::runtime_error where there are more places than most_colors, std::bad_alloc, and sennit::cancelled in a
// cancelled region. In either case nodes that had begun have come to their ends, and no others begin. In an
// observed region all of the graph runs on the calling worker.
//
// A literal is the key std::string of it.
//
// Precondition: no function waits for another node but through the graph.
// Cost: with dense keys some 20 ns a node and 10 ns an edge; see docs/guide/graphs.md.
//
// Example:
//   #include <array>
//   #include <vector>
//
//   // How many ways lead from the first to the last field of a board, right or down.
//   long ways(int rows, int columns) {
//     using field = std::array<int, 2>;
//     const auto before = [](field f) {
//       std::vector<field> fields;
//       if (f[0] > 0) fields.push_back({f[0] - 1, f[1]});
//       if (f[1] > 0) fields.push_back({f[0], f[1] - 1});
//       return fields;
//     };
//     const auto sum = [](field f, auto& node) -> long {
//       long ways = f == field{0, 0} ? 1 : 0;
//       for (const field& p : node.predecessors()) ways += node.value(p);
//       return ways;
//     };
//     return sennit::graph::run(field{rows - 1, columns - 1},
//                               sennit::graph::nodes{.predecessors = before, .compute = sum});
//   }
template <class Key, class Predecessors, class Compute, class Color, class Keys, class Trace>
auto run(const Key& sink, const nodes<Predecessors, Compute, Color, Keys, Trace>& given) {
  if constexpr (detail::literal_key<Key>) {
    // Not by its address, which other literals with the same text need not have.
    return graph::run(std::string(sink), given);
  } else if constexpr (detail::require_graph<Key, Predecessors, Compute, Color, Keys>()) {
    return detail::run_graph(sink, given);
  } else {
    return detail::refused();
  }
}

// The same where the functions are called through pointers, which takes fewer words to write, and to compile:
//   sennit::graph::run(sink, {.predecessors = f, .compute = g, .color = h});
// Nodes have no values, and keys are hashed.
template <class Key>
struct any_nodes {
  detail::any_predecessors<Key> predecessors;
  detail::any_compute<Key> compute;
  detail::any_color<Key> color{};
  graph::coloring coloring{};
  graph::trace* trace = nullptr;
};
template <class Key>
  requires(!detail::literal_key<Key>)
void run(const Key& sink, const any_nodes<std::type_identity_t<Key>>& given) {
  using predecessors = detail::any_predecessors<Key>;
  using compute = detail::any_compute<Key>;
  using color = detail::any_color<Key>;
  if (given.color.given()) {
    detail::run_graph(
        sink, nodes<predecessors, compute, color, hashed<>, graph::trace*>{.predecessors = given.predecessors,
                                                                           .compute = given.compute,
                                                                           .color = given.color,
                                                                           .coloring = given.coloring,
                                                                           .trace = given.trace});
  } else {
    detail::run_graph(
        sink, nodes<predecessors, compute, no_color, hashed<>, graph::trace*>{
                  .predecessors = given.predecessors, .compute = given.compute, .trace = given.trace});
  }
}
// A template, so that it is compiled only where it is called.
template <class Key = std::string>
void run(const char* sink, const any_nodes<std::type_identity_t<Key>>& given) {
  run(Key(sink), given);
}

}  // namespace sennit::graph
