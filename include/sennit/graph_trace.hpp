// SPDX-License-Identifier: Apache-2.0
// trace: which worker computed which node of a graph, and when.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/graph.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sennit::detail {
class trace_filler;
struct trace_access;
}  // namespace sennit::detail

namespace sennit::graph {

// What a run of a graph did, as a value that the run fills. It holds the nodes that were computed, also
// after a run that failed; a run first removes the nodes of an earlier run. One run at a time may fill it,
// and it may be read once that run has returned. `sennit view` shows the file that save() writes.
//
// Example:
//   #include <vector>
//
//   void trace_a_chain(const char* file) {
//     sennit::graph::trace seen;
//     const auto before = [](int n) { return n == 0 ? std::vector<int>() : std::vector<int>{n - 1}; };
//     sennit::graph::run(9, sennit::graph::nodes{.predecessors = before,
//                                                .compute = [](int) {},
//                                                .keys = sennit::graph::dense(10),
//                                                .trace = &seen});
//     seen.save(file);
//   }
class SENNIT_EXPORT trace {
 public:
  // A node that was computed.
  struct node {
    std::string key;  // as in messages of errors, but strings without quotes
    std::vector<std::uint32_t>
        colors;                // those that count for stealing: none, or those of the largest weights
    std::uint32_t worker = 0;  // worker_index() when the node began
    std::uint32_t place = 0;   // of the worker, among the places that are colors; 0 in a graph without colors
    std::chrono::nanoseconds begin{0};  // since the beginning of the run
    std::chrono::nanoseconds end{0};
    std::vector<std::uint32_t> predecessors;  // positions in nodes(), in order
    bool operator==(const node&) const = default;
  };

  // A run of more nodes leaves out predecessors.
  static constexpr std::size_t most_with_predecessors = 10'000;
  explicit trace(std::size_t most = most_with_predecessors) noexcept : most_(most) {}

  // The nodes in the order in which they began.
  const std::vector<node>& nodes() const noexcept { return nodes_; }
  bool has_predecessors() const noexcept { return has_predecessors_; }
  // The kind of places that the colors are, if the graph has colors, and how many places there were.
  std::optional<places> colors() const noexcept { return colors_; }
  std::uint32_t color_count() const noexcept { return color_count_; }
  // The number of the runtime's workers, or more if other threads took part.
  std::uint32_t workers() const noexcept { return workers_; }
  std::chrono::nanoseconds length() const noexcept { return length_; }
  // Whether the run threw. The trace then has the nodes that had been computed.
  bool failed() const noexcept { return failed_; }

  // The graph for Graphviz (`dot -Tsvg`): a box for each node with its key, filled with its first color.
  // Without edges if predecessors were left out. The second function throws std::runtime_error, which names
  // the file.
  void write_dot(std::ostream& to) const;
  void write_dot(const std::string& path) const;

  // save() writes a file, and load() reads it. docs/design/graphs.md describes the format. save() replaces a
  // file as a whole; if save() fails, the old file is unchanged. Both throw std::runtime_error, which names
  // the file, the problem and the remedy. load() rejects a file that is damaged, truncated or of another
  // kind.
  void save(const std::string& path) const;
  static trace load(const std::string& path);
  // The same, in memory. Errors call the bytes by `name`.
  std::vector<std::byte> to_bytes() const;
  static trace from_bytes(std::span<const std::byte> bytes, const std::string& name = "bytes in memory");
  // Whether the file begins as a file of save() does. Returns false if it cannot be read.
  static bool is_saved_in(const std::string& path);

  // Compares what was noted, without `most`.
  bool operator==(const trace& other) const noexcept;

 private:
  friend class detail::trace_filler;
  friend struct detail::trace_access;

  std::size_t most_;
  std::vector<node> nodes_;
  std::optional<places> colors_;
  std::uint32_t color_count_ = 0;
  std::uint32_t workers_ = 1;
  bool has_predecessors_ = false;
  bool failed_ = false;
  std::chrono::nanoseconds length_{0};
};

}  // namespace sennit::graph
