#include "tools/sennit/graph_shares.hpp"

#include "tools/sennit/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace command {
namespace {

using sennit::graph::trace;
using ns = std::chrono::nanoseconds;

std::string show(ns time) { return show_seconds(std::chrono::duration<double>(time).count()); }
std::string show_part(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}%", 100 * part / whole) : "";
}

}  // namespace

bool at_home(const trace::node& n) { return std::ranges::find(n.colors, n.place) != n.colors.end(); }

std::vector<graph_share> shares(const trace& t) {
  std::vector<graph_share> all(t.workers());
  std::vector<ns> until(t.workers(), ns{0});
  for (const trace::node& n : t.nodes()) {
    graph_share& share = all[n.worker];
    ++share.nodes;
    share.colored += n.colors.empty() ? 0 : 1;
    share.at_home += at_home(n) ? 1 : 0;
    // A node that waits for its own parts may run other nodes in the meantime.
    const ns begin = std::max(n.begin, until[n.worker]);
    if (n.end > begin) share.busy += n.end - begin;
    until[n.worker] = std::max(n.end, until[n.worker]);
  }
  return all;
}

std::optional<ns> longest_chain(const trace& t) {
  if (!t.has_predecessors()) return std::nullopt;
  std::vector<ns> chains(t.nodes().size());
  ns longest{0};
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const trace::node& n = t.nodes()[i];
    for (const std::uint32_t p : n.predecessors) chains[i] = std::max(chains[i], chains[p]);
    chains[i] += n.end - n.begin;
    longest = std::max(longest, chains[i]);
  }
  return longest;
}

std::string text(const trace& t, std::string_view name) {
  const std::vector<graph_share> all = shares(t);
  std::string out = fmt::format("{}: {} {} in {} on {} {}", name, show_count(t.nodes().size()),
                                t.nodes().size() == 1 ? "node" : "nodes", show(t.length()), all.size(),
                                all.size() == 1 ? "worker" : "workers");
  if (const auto chain = longest_chain(t)) out += fmt::format(", the longest chain of them {}", show(*chain));
  std::vector<std::string> head{"worker", "nodes", "busy", "idle", "idle, %"};
  std::vector<table::alignment> sides(head.size(), table::right);
  if (t.colors()) {
    head.insert(head.end(), {"colored", "of its color, %"});
    sides.resize(head.size(), table::right);
  }
  table lines(head, sides);
  for (std::size_t w = 0; w < all.size(); ++w) {
    const graph_share& s = all[w];
    const ns idle = t.length() - s.busy;
    std::vector<std::string> row{
        std::to_string(w), show_count(s.nodes), show(s.busy), show(idle),
        show_part(static_cast<double>(idle.count()), static_cast<double>(t.length().count()))};
    if (t.colors()) {
      row.push_back(show_count(s.colored));
      row.push_back(show_part(static_cast<double>(s.at_home), static_cast<double>(s.colored)));
    }
    lines.add(std::move(row));
  }
  return out + "\n" + lines.str();
}

std::string dot(const trace& t) {
  std::ostringstream out;
  t.write_dot(out);
  return out.str();
}

}  // namespace command
