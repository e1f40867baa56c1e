// SPDX-License-Identifier: Apache-2.0
// graph::replay: a graph whose nodes are computed by the workers that a schedule names.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/replay_calls.hpp>
#include <sennit/detail/graph/text_hash.hpp>
#include <sennit/graph.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/replay.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sennit::graph {

// Who computes which node of a graph, and in which order. Nodes are known by the texts of their keys, as in a trace. A
// value; any number of threads may read it at the same time.
//
// A graph::trace of a run makes a schedule, and the file of the trace is the schedule's file:
//   seen.save("grid.trace");
//   const sennit::graph::schedule as_seen(sennit::graph::trace::load("grid.trace"));
class SENNIT_EXPORT schedule {
 public:
  // Who computes a node, and when.
  struct place {
    std::uint32_t worker;
    std::uint32_t position;  // in that worker's order
  };

  schedule() = default;
  // What the run did. Throws std::invalid_argument, which names the key, if two nodes have keys of one text: then the
  // texts do not tell which is which.
  explicit schedule(const trace& seen);

  // The node with this key goes to that worker, behind all others of that worker. Throws std::invalid_argument if the
  // key has a place already.
  void assign(std::string key, std::uint32_t worker);

  // The place of the node with this key, if the schedule has the node.
  std::optional<place> find(std::string_view key) const;
  std::size_t size() const noexcept { return places_.size(); }
  // One more than the largest number of a worker.
  std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(counts_.size()); }
  // How many nodes that worker has. 0 if the schedule has no such worker.
  std::size_t nodes_of(std::uint32_t worker) const noexcept {
    return worker < counts_.size() ? counts_[worker] : 0;
  }

 private:
  detail::text_map<place> places_;
  std::vector<std::uint32_t> counts_;  // by worker
};

// As run(), but each node is computed by the worker that the schedule names (Lifflander, Krishnamoorthy and Kalé, 2014,
// IV.C; Maglalang, Krishnamoorthy and Agrawal, 2016, name it as future work). Colors and priorities are not used.
//
//   relaxed            a worker without nodes of its own takes those that others are late with: that have been ready for
//                      longer than two nodes take on average
//   strict_unordered   each node waits for its worker. Of the nodes that are ready, a worker takes the first by its order
//   strict_ordered     each worker also keeps to its order
//
// A node that the schedule does not have is computed by any worker. What the schedule has and the graph does not have is
// passed over. If the graph needs another order than the schedule's, so that nothing could go on, then the run no longer
// follows the order. A relaxed replay may have fewer workers than the schedule: then neighboring workers of the schedule
// are one. What a node forks may be stolen by any worker.
//
// The workers are those of worker_index(); the calling guest counts as worker 0. In an observed region whose
// schedule has this graph, that schedule counts in the place of this one. Throws what run() throws, and std::runtime_error if the fidelity is strict and the runtime has fewer workers
// than the schedule. Thread-safety: as run(). Cost: the text of each node's key, a look for it, and two short locks.
//
// Example:
//   #include <vector>
//
//   // The same nodes on the same workers, round after round.
//   void rounds(int n) {
//     const auto before = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; };
//     sennit::graph::trace seen;
//     sennit::graph::run(n, sennit::graph::nodes{.predecessors = before, .compute = [](int) {}, .trace = &seen});
//     const sennit::graph::schedule as_seen(seen);
//     for (int round = 0; round < 10; ++round) {
//       sennit::graph::replay(as_seen, sennit::strict_unordered, n,
//                             sennit::graph::nodes{.predecessors = before, .compute = [](int) {}});
//     }
//   }
template <class Key, class Predecessors, class Compute, class Color, class Keys, class Trace, class MostAlive,
          class Priority, class Within>
auto replay(const schedule& followed, fidelity how, const Key& sink,
            const nodes<Predecessors, Compute, Color, Keys, Trace, MostAlive, Priority, Within>& given) {
  using key = std::conditional_t<detail::literal_key<Key>, std::string, Key>;
  if constexpr (detail::require_graph<key, Predecessors, Compute, Color, Keys, Trace, MostAlive, Priority,
                                      Within>()) {
    return detail::replay_sink<key>(followed, how, sink, given);
  } else {
    return detail::refused();
  }
}

}  // namespace sennit::graph
