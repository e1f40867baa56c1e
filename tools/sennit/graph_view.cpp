// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/graph_view.hpp"

#include "tools/sennit/graph_shares.hpp"
#include "tools/sennit/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace command {
namespace {

using sennit::graph::trace;
using ns = std::chrono::nanoseconds;

std::string show_part(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}%", 100 * part / whole) : "";
}
std::string show_part(ns part, ns whole) {
  return show_part(static_cast<double>(part.count()), static_cast<double>(whole.count()));
}
std::string counted(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", show_count(count), one, count == 1 ? "" : "s");
}

template <class Measure>
std::vector<std::uint32_t> largest(const std::vector<std::uint32_t>& of, std::size_t most, Measure measure) {
  std::vector<std::uint32_t> all;
  for (const std::uint32_t i : of) {
    if (measure(i) > ns{0}) all.push_back(i);
  }
  const std::size_t kept = std::min(most, all.size());
  std::partial_sort(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
      [&](auto a, auto b) { return measure(a) != measure(b) ? measure(a) > measure(b) : a < b; });
  all.resize(kept);
  return all;
}

std::string heading(const graph_view& view, std::string_view name) {
  const trace& t = view.t;
  std::string out = fmt::format("{}: {} in {} on {}", name, counted(t.nodes().size(), "node"),
                                show_time(t.length()), counted(t.workers(), "worker"));
  if (!t.nodes().empty()) out += fmt::format(", the first after {}", show_time(t.nodes().front().begin));
  if (t.failed()) out += "; the run failed, and these are the nodes that had been computed";
  return out + "\n";
}

std::string table_of_workers(const trace& t) {
  const std::vector<graph_share> all = shares(t);
  std::vector<std::string> head{"worker", "nodes", "first work", "busy", "idle", "idle, %"};
  if (t.colors()) head.insert(head.end(), {"colored", "of its color, %"});
  table lines(head, std::vector<table::alignment>(head.size(), table::right));
  for (std::size_t w = 0; w < all.size(); ++w) {
    const graph_share& s = all[w];
    const ns idle = t.length() - s.busy;
    std::vector<std::string> row{
        std::to_string(w), show_count(s.nodes), s.nodes == 0 ? "none" : show_time(s.first),
        show_time(s.busy), show_time(idle),     show_part(idle, t.length())};
    if (t.colors()) {
      row.push_back(show_count(s.colored));
      row.push_back(show_part(static_cast<double>(s.at_home), static_cast<double>(s.colored)));
    }
    lines.add(std::move(row));
  }
  return lines.str();
}

std::string table_of_chain(const graph_view& view) {
  const trace& t = view.t;
  std::string out =
      fmt::format("\nlongest chain: {} in {}, {} of the run\n", counted(view.chain->nodes.size(), "node"),
                  show_time(view.chain->time), show_part(view.chain->time, t.length()));
  constexpr std::size_t most = 20;
  std::vector<std::uint32_t> nodes = view.chain->nodes;
  const bool cut = nodes.size() > most;
  if (cut) {
    // The longest of its nodes, in the chain's order.
    nodes = largest(view.chain->nodes, most, [&](auto i) { return t.nodes()[i].end - t.nodes()[i].begin; });
    std::ranges::sort(nodes);
    out += fmt::format("its {} longest nodes:\n", nodes.size());
  }
  table lines({"node", "worker", "began", "took", "waited"},
              {table::left, table::right, table::right, table::right, table::right});
  for (const std::uint32_t i : nodes) {
    const trace::node& n = t.nodes()[i];
    lines.add({shown_key(n.key), std::to_string(n.worker), show_time(n.begin), show_time(n.end - n.begin),
               view.waits[i].last == no_node ? "" : show_time(view.waits[i].waited)});
  }
  return nodes.empty() ? "" : out + lines.str();
}

std::string table_of_waits(const graph_view& view) {
  constexpr std::size_t most = 10;
  const std::vector<std::uint32_t> nodes = view.most_waiting(most);
  if (nodes.empty()) return "";
  table lines(
      {"waited longest for a worker", "waited", "while a worker was idle", "ready", "when this ended"},
      {table::left, table::right, table::right, table::right, table::left});
  for (const std::uint32_t i : nodes) {
    const node_wait& wait = view.waits[i];
    lines.add({shown_key(view.t.nodes()[i].key), show_time(wait.waited), show_time(wait.avoidable),
               show_time(wait.ready), shown_key(view.t.nodes()[wait.last].key)});
  }
  return "\n" + lines.str();
}

std::string table_of_shown(const graph_view& view) {
  constexpr std::size_t most = 20;
  std::string out =
      fmt::format("\nshown: {} of {}", show_count(view.shown.size()), counted(view.t.nodes().size(), "node"));
  const std::vector<std::uint32_t> nodes = view.longest(most);
  if (nodes.empty()) return out + "\n";
  out += fmt::format("; the {} longest:\n", nodes.size());
  table lines({"node", "worker", "began", "took"}, {table::left, table::right, table::right, table::right});
  for (const std::uint32_t i : nodes) {
    const trace::node& n = view.t.nodes()[i];
    lines.add({shown_key(n.key), std::to_string(n.worker), show_time(n.begin), show_time(n.end - n.begin)});
  }
  return out + lines.str();
}

}  // namespace

graph_view::graph_view(const trace& of, const std::string& file, const graph_filter& filter)
    : t(of), waits(waits_of(of)), chain(longest_chain(of)), filtered(filter.any()) {
  shown = select(of, file, filter, chain);
}

std::vector<std::uint32_t> graph_view::longest(std::size_t most) const {
  return largest(shown, most, [&](auto i) { return t.nodes()[i].end - t.nodes()[i].begin; });
}
std::vector<std::uint32_t> graph_view::most_waiting(std::size_t most) const {
  if (waits.empty()) return {};
  return largest(shown, most, [&](auto i) { return waits[i].waited; });
}

std::string show_time(ns time) {
  if (time < std::chrono::microseconds(1)) return fmt::format("{} ns", time.count());
  return show_seconds(std::chrono::duration<double>(time).count());
}

std::string shown_key(std::string_view key, std::size_t most) {
  std::string out;
  for (const char c : key.substr(0, std::min(key.size(), most))) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < ' ' || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  if (key.size() <= most) return out;
  // Not in the middle of a character of several bytes.
  if ((static_cast<unsigned char>(key[most]) & 0xc0U) == 0x80U) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0U) == 0x80U) out.pop_back();
    if (!out.empty()) out.pop_back();
  }
  return out + "...";
}

std::string text(const graph_view& view, std::string_view name, const graph_comparison* against) {
  std::string out = heading(view, name) + table_of_workers(view.t);
  if (view.chain) {
    out += table_of_chain(view) + table_of_waits(view);
  } else {
    out += fmt::format(
        "\nThe file does not say which nodes needed which others, so that chains and waits are not "
        "known: {}.\n",
        how_to_get_predecessors(view.t));
  }
  if (view.filtered) out += table_of_shown(view);
  if (against != nullptr) out += text(*against);
  return out;
}

}  // namespace command
