// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/graph_view.hpp"
#include "tools/sennit/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace command {
namespace {

using sennit::graph::trace;

// In a quoted string of DOT.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\0' || c == '\r') {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

// Hues that differ clearly from one color to the next, as on the page.
std::string fill_of(const trace::node& n) {
  if (n.colors.empty()) return "";
  const std::uint64_t thousandths = (std::uint64_t{n.colors.front()} * 618 + 580) % 1000;
  return fmt::format(", fillcolor=\"0.{:03} 0.4 0.95\"", thousandths);
}

[[noreturn]] void refuse(std::string_view file, std::size_t count, std::string_view what, std::size_t most) {
  throw std::runtime_error(fmt::format(
      "'{}' has {} {} to draw, and nobody can read a drawing of more than {}; choose nodes with {}, or "
      "leave out --dot for the page",
      file, show_count(count), what, show_count(most), filter_options));
}

}  // namespace

std::string dot(const graph_view& view, const std::string& file) {
  const trace& t = view.t;
  if (!t.has_predecessors()) {
    throw std::runtime_error(
        fmt::format("'{}' has no edges to draw, because it does not say which nodes needed which others; {}",
                    file, how_to_get_predecessors(t)));
  }
  if (view.shown.size() > most_drawn_nodes) refuse(file, view.shown.size(), "nodes", most_drawn_nodes);
  std::vector<bool> drawn(t.nodes().size());
  for (const std::uint32_t i : view.shown) drawn[i] = true;
  std::vector<std::uint32_t> before_in_chain(t.nodes().size(), no_node);
  std::vector<bool> in_chain(t.nodes().size());
  for (std::size_t i = 0; i < view.chain->nodes.size(); ++i) {
    in_chain[view.chain->nodes[i]] = true;
    if (i != 0) before_in_chain[view.chain->nodes[i]] = view.chain->nodes[i - 1];
  }
  std::string nodes;
  std::string edges;
  std::size_t edge_count = 0;
  for (const std::uint32_t i : view.shown) {
    const trace::node& n = t.nodes()[i];
    std::size_t left_out = 0;
    for (const std::uint32_t p : n.predecessors) {
      if (!drawn[p]) {
        ++left_out;
        continue;
      }
      ++edge_count;
      edges += fmt::format("  n{} -> n{}{};\n", p, i, before_in_chain[i] == p ? " [penwidth=2.5]" : "");
    }
    nodes += fmt::format("  n{} [label=\"{}\\nworker {}, {} from {}", i, escaped(n.key), n.worker,
                         show_time(n.end - n.begin), show_time(n.begin));
    if (view.waits[i].waited > std::chrono::nanoseconds{0})
      nodes += fmt::format("\\nwaited {}", show_time(view.waits[i].waited));
    if (left_out != 0) nodes += fmt::format("\\nneeds {} more, not shown", left_out);
    nodes += fmt::format("\"{}{}];\n", fill_of(n), in_chain[i] ? ", penwidth=2.5" : "");
  }
  if (edge_count > most_drawn_edges) refuse(file, edge_count, "edges", most_drawn_edges);
  return "digraph run {\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#e9edf1\", "
         "fontname=\"sans-serif\"];\n" +
         nodes + edges + "}\n";
}

}  // namespace command
