// SPDX-License-Identifier: Apache-2.0
// A graph in a traced region, while it runs: which of its nodes are told, and what for.
#pragma once

#include <sennit/detail/telling.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

namespace sennit::detail {

class tracer;
struct traced_body;

// The nodes of a graph that have been told.
struct told_nodes {
  std::uint64_t count = 0;
  std::uint64_t took_ns = 0;   // all of them together
  std::uint64_t until_ns = 0;  // since then, no more; 0: all have been told
};

// To tell a node takes up to a microsecond, with the file. So nodes are told as long as they take 32 times as long on average;
// and the first ones of a graph whatever they take.
class told_graph {
 public:
  told_graph(tracer& by, const traced_body& body) noexcept : by_(by), body_(body) {}
  told_graph(const told_graph&) = delete;
  told_graph& operator=(const told_graph&) = delete;

  // Several strands at once. False: no more of its nodes are told. `id`: of the node's body; 0: it has none yet.
  bool tell(const told_node& node, std::uint64_t begun_ns, std::uint64_t ended_ns,
            std::uint64_t id = 0) noexcept;
  told_nodes nodes() const noexcept;

  static constexpr std::uint64_t first_nodes = 8192;
  static constexpr std::uint64_t least_ns = 32'000;

 private:
  tracer& by_;
  const traced_body& body_;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> took_ns_{0};
  std::atomic<std::uint64_t> until_ns_{0};  // 0: until the end
};

// A graph, from its beginning to its end. The calling strand is traced.
class graph_section {
 public:
  // `code`: where it is in the program.
  explicit graph_section(const void* code) noexcept;
  graph_section(const graph_section&) = delete;
  graph_section& operator=(const graph_section&) = delete;
  ~graph_section();

  // Null: its nodes are not told.
  told_graph* graph() noexcept { return told_ ? &*told_ : nullptr; }

 private:
  tracer* const by_;
  traced_body* const body_;
  std::optional<told_graph> told_;
};

}  // namespace sennit::detail
