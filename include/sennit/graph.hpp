// SPDX-License-Identifier: Apache-2.0
// graph: a graph of tasks that is discovered from its sink while it runs.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/alive.hpp>
#include <sennit/detail/graph/any_functions.hpp>
#include <sennit/detail/graph/calls.hpp>
#include <sennit/detail/graph/compute_sink.hpp>
#include <sennit/detail/graph/cycle.hpp>
#include <sennit/detail/graph/key_hash.hpp>
#include <sennit/detail/graph/node_access.hpp>
#include <sennit/detail/graph/refusal.hpp>
#include <sennit/limit.hpp>

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

// Keys that are hashed. Hash: as std::hash, which is the default. It is mixed, unless it has a type `is_avalanching`. For
// integers and tuples of integers, a hash of Sennit's own is used in any case. Keys with the same hash are compared one by
// one: a hash that gives 1,000 keys one value costs 1,000 comparisons an edge. Cost: 20 to 60 ns an edge.
template <class Hash = void>
struct hashed {};

// A hash of all bytes of a key, for structures of integers, enumerations and pointers without gaps between them.
// Precondition: two keys are equal only if all of their bytes are. Cost: some nanoseconds for each 8 bytes.
//
// Example:
//   #include <vector>
//
//   struct cell {
//     int row, column;
//     bool operator==(const cell&) const = default;
//   };
//   void sweep(int n, void (*compute)(cell)) {
//     const auto before = [](cell c) {
//       return c.row == 0 ? std::vector<cell>() : std::vector<cell>{{c.row - 1, c.column}};
//     };
//     sennit::graph::run(cell{n, n}, sennit::graph::nodes{.predecessors = before,
//                                                         .compute = compute,
//                                                         .keys = sennit::graph::hashed<sennit::graph::byte_hash>()});
//   }
struct byte_hash {
  // The hash of the key's bytes.
  template <class Key>
    requires std::has_unique_object_representations_v<Key>
  std::size_t operator()(const Key& k) const noexcept {
    return detail::hash_of_bytes(k);
  }
};

// Keys that are the points of a box: integers from 0 to an extent, or tuples of such integers (std::array,
// std::pair, std::tuple). Nothing is hashed. A run allocates 16 bytes of address space for each point of the
// box at once; only points that are touched use memory. At most 2^32 - 2 points. A key outside the box
// throws std::out_of_range.
template <std::size_t Rank>
struct dense {
  std::array<std::uint64_t, Rank> extents;  // of the box, in each dimension
  template <std::integral... Extents>
    requires(sizeof...(Extents) == Rank)
  constexpr explicit dense(Extents... e) noexcept : extents{static_cast<std::uint64_t>(e)...} {}
};
template <std::integral... Extents>
dense(Extents...) -> dense<sizeof...(Extents)>;

// The kinds of places that can be a graph's colors: workers, (last-level) caches or (NUMA) nodes.
using places = detail::color_kind;

// color_count() is the number of these places in the runtime of the calling strand, or outside any runtime
// in the default one. color_here() is the place of the worker that runs the call.
//
// Example:
//   // Whether a node for this place of the data runs where the data are.
//   bool is_near(unsigned place) {
//     constexpr auto nodes = sennit::graph::places::nodes;
//     return place % sennit::graph::color_count(nodes) == sennit::graph::color_here(nodes);
//   }
//   bool can_have_colors(sennit::graph::places of) {
//     return sennit::graph::color_count(of) <= sennit::graph::most_colors;
//   }
inline unsigned color_count(places p) { return detail::color_count(p); }
inline unsigned color_here(places p) noexcept { return detail::color_here(p); }

// The largest number of places that can be colors. If there are more of that kind, a run with a color()
// throws std::runtime_error.
inline constexpr unsigned most_colors = detail::most_colors;

// The share of a node's data near a place, for color functions that return several places.
struct weighted_color {
  unsigned color;
  double weight;  // the share
};

// How workers share the nodes of a graph with colors. It holds for this run only, whatever runs around it and within it.
// (Compare Maglalang, Krishnamoorthy and Agrawal, 2016, section III.) A worker takes what is ready and of its own color
// first.
//
// Example:
//   #include <vector>
//
//   // Node k works on two blocks, one of which is larger. Workers of other places leave a node for a while.
//   void merge_all(int last, std::vector<int> (*needs)(int), void (*merge)(int), unsigned (*place_of)(int block)) {
//     const auto colors = [=](int k) {
//       return std::vector<sennit::graph::weighted_color>{{place_of(2 * k), 2}, {place_of(2 * k + 1), 1}};
//     };
//     const sennit::graph::coloring patient{.of = sennit::graph::places::nodes, .patience = 8};
//     sennit::graph::run(last, sennit::graph::nodes{
//                                  .predecessors = needs, .compute = merge, .color = colors, .coloring = patient});
//   }
struct coloring {
  places of = places::nodes;
  // A worker that runs out of nodes of its own color leaves those of other colors to their own workers for a while, and
  // then takes them. The while is the time that this number of the worker's nodes took on average. A worker that has had no
  // node of its own color does not wait, nor is a node left whose color is no place's. From 0 to 1,000,000.
  double patience = 2;
};

// What a graph has where nothing is given for color; the others below are for trace, priority, within, bytes_of and
// most_alive. For functions whose callers may leave these out.
//
// Example:
//   #include <vector>
//
//   template <class Color = sennit::graph::no_color, class Trace = sennit::graph::no_trace,
//             class Priority = sennit::graph::no_priority, class Within = sennit::graph::no_limit,
//             class MostAlive = sennit::graph::no_bound>
//   void run_chain(int n, void (*compute)(int), Color color = {}, Trace trace = {}, MostAlive most = {}, Priority first = {},
//                  Within within = {}) {
//     const auto before = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; };
//     sennit::graph::run(n, sennit::graph::nodes{.predecessors = before,
//                                                .compute = compute,
//                                                .color = color,
//                                                .keys = sennit::graph::hashed<>(),
//                                                .trace = trace,
//                                                .most_alive = most,
//                                                .priority = first,
//                                                .within = within});
//   }
//   void run_plain_chain(void (*compute)(int)) { run_chain(9, compute); }
//   using alive_without_bytes = sennit::graph::alive<sennit::graph::no_bytes_of>;
struct no_color {};

class SENNIT_EXPORT trace;  // sennit/graph_trace.hpp
// As no_color.
struct no_trace {};
struct no_priority {};
struct no_limit {};

// The most values that were alive at a time in a run, and their bytes (0 without bytes_of). Each value, with its bytes,
// counts from the end of its node until its last reader has ended.
struct alive_seen {
  std::size_t values = 0;
  std::size_t bytes = 0;
  bool beyond = false;  // more than the bound was alive
};

// As no_color.
struct no_bytes_of {};

// How much may be alive in a run whose nodes have values. While so much is alive, no node begins whose value would be
// one more. A node that is the last reader of others begins all the same. If nothing else can go on, the node begins that
// one worker alone would compute next, and no other beside it. So a run never stops for want of room, and `seen` says
// whether it went beyond the bound.
//
//   values    a number of values, at least 1
//   bytes     a number of bytes, at least 1. The size of a value is known when its node has ended. Until then it is
//             taken to be as large as the largest so far, of nodes that read others, or of those that do not
//   bytes_of  the bytes of a value: a function of `const Value&` that returns an integer. Needed for `bytes`. It is
//             called once for each value, by the strand that computed it
//   seen      is written when the run has ended, also if it throws
//
// Both bounds may be given, or none, which only fills `seen`. Each worker may be computing one more value, in the place of
// those that it reads last. Nodes that other nodes create (node::create) may add what they read. A replay of a schedule
// keeps to the schedule, and only fills `seen`.
//
// Example:
//   #include <cstddef>
//   #include <string>
//   #include <vector>
//
//   // How long a list of files is together, with a gigabyte of them in memory at most.
//   std::size_t length(int files, std::string (*load)(int)) {
//     const auto before = [=](int k) {
//       return k == 0 ? std::vector<int>() : k > 0 ? std::vector<int>{k - 1, -k} : std::vector<int>();
//     };
//     std::vector<std::size_t> sums(static_cast<std::size_t>(files) + 1);
//     sennit::graph::alive_seen seen;
//     const auto compute = [&](int k, auto& node) -> std::string {
//       if (k < 0) return load(-k);
//       const auto at = static_cast<std::size_t>(k);
//       if (k > 0) sums[at] = sums[at - 1] + node.value(-k).size();
//       return {};
//     };
//     sennit::graph::run(files, sennit::graph::nodes{.predecessors = before,
//                                                    .compute = compute,
//                                                    .most_alive = sennit::graph::alive{
//                                                        .bytes = std::size_t{1} << 30,
//                                                        .bytes_of = [](const std::string& s) { return s.size(); },
//                                                        .seen = &seen}});
//     return sums.back();
//   }
template <class BytesOf = no_bytes_of>
struct alive {
  std::size_t values = detail::unlimited;
  std::size_t bytes = detail::unlimited;
  BytesOf bytes_of{};
  alive_seen* seen = nullptr;
};

// As no_color.
struct no_bound {};

// A graph, described by functions. Several workers call the functions at once. They call predecessors() and
// color() more than once for a node, and each call must give the same answer.
//
//   predecessors(key)   the keys of the nodes that must be computed before: any range of keys. A duplicate
//                       counts once.
//   compute(key), or    computes the node; called once, after all predecessors have been computed. `node` is
//   compute(key, node)  a graph::node. The result, unless void, is the node's value, which its successors
//                       can read. A function that reads values states its return type.
//   color(key)          the place nearest to the node's data: an integer below color_count(), or a range
//                       of weighted_color. Of a range, the places with at least half of the largest weight
//                       count. Colors are a preference; a number that is not a place's has no effect.
//   keys                hashed<>(), hashed<H>() or dense(extents...). Hashed keys are equality comparable,
//                       copyable, and hashed by H or std::hash.
//   trace               a graph::trace*, in which the run notes which worker computed which node, and when.
//                       Cost: some 50 to 100 ns a node.
//   most_alive          how many values may be alive: a number, or graph::alive{...}, which can also count bytes.
//                       Cost: three short locks a node, and another call of predecessors() for a node that waits.
//   coloring            how workers share nodes that have colors: see graph::coloring
//   priority(key)       an int. A worker first explores what it has found. Then it takes the node of the highest
//                       priority of all that are ready in the run at that moment, wherever they became ready; of
//                       equals, the latest. With one worker, this is the exact order. With several, a node may become
//                       ready just after a worker has taken one of lower priority. Called when a node is ready, and
//                       once more if the node has to wait until all has been explored. Priorities count before
//                       colors, which have no effect then. graph::replay does not use priorities. Cost: a short lock, and log(ready nodes) steps, twice a node.
//   within(key)         a limit*, or a range of them (sennit/limit.hpp); null pointers are no limits. The node is not begun
//                       before it has a permit within each of these limits. No strand, stack or worker waits meanwhile: the
//                       node waits in the limit's list, and goes on when whoever leaves the limit gives it the permit. Several
//                       limits lock nobody up, whatever their order: nodes enter them in the order in which they were made.
//                       A replay begins a node that had to wait on any worker. Limits outlive the run. Called once for a
//                       node. Cost: some 50 ns a node that has a limit, some 500 ns where it has to wait.
//
// Example:
//   #include <vector>
//
//   // A chain of long tasks comes first, and of the others no more than two at a time load something.
//   void build(int last, std::vector<int> (*needs)(int), void (*make)(int), bool (*is_long)(int), bool (*loads)(int)) {
//     sennit::limit two(2);
//     sennit::graph::run(last, sennit::graph::nodes{.predecessors = needs,
//                                                   .compute = make,
//                                                   .priority = [=](int k) { return is_long(k) ? 1 : 0; },
//                                                   .within = [&](int k) { return loads(k) ? &two : nullptr; }});
//   }
template <class Predecessors, class Compute, class Color = no_color, class Keys = hashed<>,
          class Trace = no_trace, class MostAlive = no_bound, class Priority = no_priority,
          class Within = no_limit>
struct nodes {
  Predecessors predecessors;
  Compute compute;
  Color color{};
  Keys keys{};
  graph::coloring coloring{};
  Trace trace{};
  MostAlive most_alive{};
  Priority priority{};
  Within within{};
};

// The node that is being computed, as an argument of its function.
template <class Key, class Predecessors, class Compute>
class node {
 public:
  // The key, and what the graph's predecessors() gives for it.
  const Key& key() const noexcept { return key_; }
  decltype(auto) predecessors() const { return predecessors_(key_); }
  // The value of the predecessor with this key. Branches that the function forks may call it, too, several at
  // once. Throws std::logic_error if no predecessor has this key, or if the value was freed before this node
  // was created. Cost: to find the key, and a search among the numbers of the predecessors.
  const auto& value(const Key& predecessor) {
    if constexpr (detail::is_undeduced<Compute>) {
      static_assert(!detail::is_undeduced<Compute>,
                    "graph::run: .compute reads values, so it has to state its return type: "
                    "[](const K& key, auto& node) -> T");
      return refused_;
    } else if constexpr (std::is_void_v<std::invoke_result_t<const Compute&, const Key&, node&>>) {
      detail::require_value<Compute>();
      return refused_;
    } else {
      using value = std::remove_cvref_t<std::invoke_result_t<const Compute&, const Key&, node&>>;
      return *static_cast<const value*>(access_.value(strand_, predecessor));
    }
  }
  // Adds the node with this key, and all nodes that it needs, to the run, unless it is already there. They may have this node
  // among their predecessors, and its predecessors: the values that this node can read stay for them. Values of nodes that it
  // has created stay until it has been computed, for what it creates later. Branches that the function forks may call it,
  // too, several at once. Throws std::bad_alloc.
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
  static constexpr detail::refused refused_{};
};

// A function threw, or an operation of a key: its hash, its copy, or ==. what() names the node, which of them
// threw, and the exception, which is nested (std::nested_exception).
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
  // Each node is a predecessor of the one before it; the first node is a predecessor of the last.
  const std::vector<Key>& keys() const noexcept { return keys_; }

 private:
  std::vector<Key> keys_;
};

// Computes the sink and all nodes that the sink needs. Each node is computed once, after its predecessors; nodes that do not
// depend on each other may run in parallel. The graph is not built in advance: nodes are made when they are needed, depth
// first from the sink (Maglalang, Krishnamoorthy and Agrawal, 2016, section II). If nodes have values, workers explore all
// nodes before they compute most of them, so that each value can be freed as soon as its last reader has been computed.
// Returns the sink's value, if nodes have values. If a string literal is the sink, the key is a std::string.
//
// Precondition: functions wait for other nodes only through the graph. Throws node_error if one of the
// functions threw, cycle_error<Key> if nodes wait for one another, std::logic_error if predecessors() gives
// another answer than before, std::invalid_argument for a patience or a bound out of bounds, std::runtime_error if
// there are more places than most_colors, std::bad_alloc, and sennit::cancelled in a cancelled region. When
// it throws, all nodes that had begun have ended, and no others begin. Thread-safety: any thread may call
// it. It runs in the runtime of the calling strand, or outside any runtime in the default one. In an
// observed region (record(), replay()), the graph is a construct of which the record says who computed which node: see
// replay.hpp. Cost: with dense keys some 20 ns a node and
// 10 ns an edge; see docs/guide/graphs.md.
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
//
//   // Whether files can be built that include one another: not in a circle.
//   bool can_be_built(int last, std::vector<int> (*includes)(int), void (*build)(int)) {
//     const sennit::graph::any_nodes<int> files{.predecessors = includes, .compute = build};
//     try {
//       sennit::graph::run(last, files);
//     } catch (const sennit::graph::cycle_error<int>& circle) {
//       return circle.keys().empty();  // false: it names the files
//     }
//     return true;
//   }
template <class Key, class Predecessors, class Compute, class Color, class Keys, class Trace, class MostAlive,
          class Priority, class Within>
auto run(const Key& sink,
         const nodes<Predecessors, Compute, Color, Keys, Trace, MostAlive, Priority, Within>& given) {
  // A literal is its text: other literals with the same text may have another address.
  using key = std::conditional_t<detail::literal_key<Key>, std::string, Key>;
  // As detail::require_graph(), which would be three more lines of each message.
  if constexpr (!detail::require_keys<key, Keys>()) {
    return detail::refused();
  } else if constexpr (!detail::require_predecessors<key, Predecessors>()) {
    return detail::refused();
  } else if constexpr (!detail::require_stated_result<
                           key, Compute, node<key, Predecessors, detail::undeduced<Compute>>>()) {
    return detail::refused();
  } else if constexpr (!detail::require_compute<key, Compute, node<key, Predecessors, Compute>>()) {
    return detail::refused();
  } else if constexpr (!detail::require_color<key, Color>()) {
    return detail::refused();
  } else if constexpr (!detail::require_trace<Trace>()) {
    return detail::refused();
  } else if constexpr (!detail::require_most_alive<key, Predecessors, Compute, MostAlive>()) {
    return detail::refused();
  } else if constexpr (!detail::require_priority<key, MostAlive, Priority>()) {
    return detail::refused();
  } else if constexpr (!detail::require_within<key, Within>()) {
    return detail::refused();
  } else {
    return detail::compute_sink<key>(sink, given);
  }
}

// The same for functions that are called through pointers. It is shorter to write and quicker to compile:
//   sennit::graph::run(sink, {.predecessors = f, .compute = g, .color = h});
// Nodes have no values, and keys are hashed. Its members, coloring and trace among them, are those of nodes.
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
    detail::compute_sink(
        sink, nodes<predecessors, compute, color, hashed<>, graph::trace*>{.predecessors = given.predecessors,
                                                                           .compute = given.compute,
                                                                           .color = given.color,
                                                                           .coloring = given.coloring,
                                                                           .trace = given.trace});
  } else {
    detail::compute_sink(
        sink, nodes<predecessors, compute, no_color, hashed<>, graph::trace*>{
                  .predecessors = given.predecessors, .compute = given.compute, .trace = given.trace});
  }
}
// A template, so that only programs which call it compile it.
template <class Key = std::string>
void run(const char* sink, const any_nodes<std::type_identity_t<Key>>& given) {
  run(Key(sink), given);
}

}  // namespace sennit::graph
