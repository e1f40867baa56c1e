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

// What a run of a graph did, as a value that it fills. It holds the nodes that were computed, after a run
// that failed, too; what an earlier run left in it is gone. One run at a time may fill it, and it may be read
// once that has returned. `sennit view` shows the file that save() writes.
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
  struct node {
    std::string key;                    // as errors have it, strings without quotes
    std::vector<std::uint32_t> colors;  // as coloring takes them: none, or those of most weight
    std::uint32_t worker = 0;           // as worker_index() had it when the node began
    std::uint32_t place = 0;            // of that worker, among those that are colors; 0 in a graph without
    std::chrono::nanoseconds begin{0};  // since the run's beginning
    std::chrono::nanoseconds end{0};
    std::vector<std::uint32_t> predecessors;  // positions in nodes(), in order
    bool operator==(const node&) const = default;
  };

  // In a run of more nodes, predecessors are left out.
  static constexpr std::size_t most_with_predecessors = 10'000;
  explicit trace(std::size_t most = most_with_predecessors) noexcept : most_(most) {}

  // In the order in which they began.
  const std::vector<node>& nodes() const noexcept { return nodes_; }
  bool has_predecessors() const noexcept { return has_predecessors_; }
  // What its colors are, if it has any, and how many there were.
  std::optional<places> colors() const noexcept { return colors_; }
  std::uint32_t color_count() const noexcept { return color_count_; }
  // Of the runtime, or more if others were at work in it.
  std::uint32_t workers() const noexcept { return workers_; }
  std::chrono::nanoseconds length() const noexcept { return length_; }

  // The graph as Graphviz reads it (`dot -Tsvg`): a box for each node with its key, filled by its first
  // color. Without edges if predecessors were left out. The second throws std::runtime_error that names the
  // file.
  void write_dot(std::ostream& to) const;
  void write_dot(const std::string& path) const;

  // Writes the file form, of which docs/design/graphs.md tells, and reads it. A file is replaced as a whole,
  // or stays as it was. Both throw std::runtime_error that names the file, what is wrong and the remedy:
  // nothing that is damaged, cut short or foreign is loaded.
  void save(const std::string& path) const;
  static trace load(const std::string& path);
  // The same in memory. `name` is what errors call the bytes.
  std::vector<std::byte> to_bytes() const;
  static trace from_bytes(std::span<const std::byte> bytes, const std::string& name = "bytes in memory");
  // Whether the file begins as those do that save() writes; false if it cannot be read.
  static bool is_saved_in(const std::string& path);

  // Of what was noted; `most` is none of it.
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
  std::chrono::nanoseconds length_{0};
};

}  // namespace sennit::graph
