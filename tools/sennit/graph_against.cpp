// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/graph_against.hpp"

#include "tools/sennit/graph_shares.hpp"
#include "tools/sennit/graph_view.hpp"
#include "tools/sennit/graph_waits.hpp"
#include "tools/sennit/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace command {
namespace {

using sennit::graph::trace;
using ns = std::chrono::nanoseconds;

constexpr std::size_t most_differences = 50;
constexpr std::size_t most_links = 50;

struct occurrence {
  std::size_t nodes = 0;
  ns time{0};
  std::uint32_t worker = 0;
};
using occurrences = std::unordered_map<std::string_view, occurrence>;

occurrences by_key(const trace& t) {
  occurrences all;
  for (const trace::node& n : t.nodes()) {
    occurrence& one = all[n.key];
    ++one.nodes;
    one.time += std::max(ns{0}, n.end - n.begin);
    one.worker = n.worker;
  }
  return all;
}

// The second as a change of the first.
std::string show_change(double from, double to) {
  if (from == 0 || from == to) return "";
  return fmt::format("{:+.1f}%", 100 * (to - from) / from);
}
std::string show_change(ns from, ns to) {
  return show_change(static_cast<double>(from.count()), static_cast<double>(to.count()));
}

std::string link_of(const graph_summary& run, std::size_t i) {
  if (i >= run.links.size()) return "";
  return fmt::format("{} ({})", shown_key(run.links[i].key), show_time(run.links[i].time));
}

}  // namespace

graph_summary summary_of(const trace& t, const std::string& name) {
  graph_summary run{.name = name, .nodes = t.nodes().size(), .workers = t.workers(), .length = t.length()};
  run.first = t.nodes().empty() ? t.length() : t.nodes().front().begin;
  for (const trace::node& n : t.nodes()) run.computing += std::max(ns{0}, n.end - n.begin);
  ns busy{0};
  for (const graph_share& share : shares(t)) busy += share.busy;
  if (t.length() > ns{0}) {
    run.busy = static_cast<double>(busy.count()) / static_cast<double>(t.length().count()) /
               static_cast<double>(t.workers());
  }
  if (const auto chain = longest_chain(t)) {
    run.chain = chain->time;
    run.chain_nodes = chain->nodes.size();
    for (std::size_t i = 0; i < std::min(chain->nodes.size(), most_links); ++i) {
      const trace::node& n = t.nodes()[chain->nodes[i]];
      run.links.push_back({n.key, std::max(ns{0}, n.end - n.begin)});
    }
  }
  return run;
}

graph_comparison compare(const trace& now, const std::string& name, const trace& earlier,
                         const std::string& earlier_name) {
  graph_comparison c{.earlier = summary_of(earlier, earlier_name), .now = summary_of(now, name)};
  const occurrences there = by_key(earlier);
  const occurrences here = by_key(now);
  for (const auto& [key, one] : here) {
    const auto found = there.find(key);
    if (found == there.end()) {
      ++c.only_now;
      continue;
    }
    const occurrence& other = found->second;
    ++c.common;
    c.elsewhere += one.nodes == 1 && other.nodes == 1 && one.worker != other.worker ? 1 : 0;
    c.differences.push_back({std::string(key), one.nodes, other.time, one.time});
  }
  c.only_earlier = there.size() - c.common;
  const auto larger = [](const graph_difference& a, const graph_difference& b) {
    const auto by_a = std::abs((a.now - a.earlier).count());
    const auto by_b = std::abs((b.now - b.earlier).count());
    return by_a != by_b ? by_a > by_b : a.key < b.key;
  };
  const std::size_t kept = std::min(c.differences.size(), most_differences);
  std::partial_sort(c.differences.begin(), c.differences.begin() + static_cast<std::ptrdiff_t>(kept),
                    c.differences.end(), larger);
  c.differences.resize(kept);
  return c;
}

std::string text(const graph_comparison& c) {
  const graph_summary& a = c.earlier;
  const graph_summary& b = c.now;
  table lines({"", a.name, b.name, "change"}, {table::left, table::right, table::right, table::right});
  const auto add_time = [&](const char* what, ns from, ns to) {
    lines.add({what, show_time(from), show_time(to), show_change(from, to)});
  };
  add_time("length", a.length, b.length);
  lines.add({"workers", show_count(a.workers), show_count(b.workers), ""});
  lines.add({"nodes", show_count(a.nodes), show_count(b.nodes),
             show_change(static_cast<double>(a.nodes), static_cast<double>(b.nodes))});
  lines.add({"busy", fmt::format("{:.1f}%", 100 * a.busy), fmt::format("{:.1f}%", 100 * b.busy), ""});
  add_time("first work", a.first, b.first);
  add_time("sum of nodes", a.computing, b.computing);
  if (a.chain && b.chain) add_time("longest chain", *a.chain, *b.chain);
  std::string out = "\nagainst " + a.name + "\n" + lines.str();
  out += fmt::format(
      "{} keys are in both runs, {} only in {}, {} only in {}; another worker computed {} of them\n",
      show_count(c.common), show_count(c.only_now), b.name, show_count(c.only_earlier), a.name,
      show_count(c.elsewhere));
  if (!c.differences.empty()) {
    constexpr std::size_t most = 10;
    table nodes({"nodes that differ most", a.name, b.name, "change"},
                {table::left, table::right, table::right, table::right});
    for (std::size_t i = 0; i < std::min(most, c.differences.size()); ++i) {
      const graph_difference& d = c.differences[i];
      nodes.add({shown_key(d.key), show_time(d.earlier), show_time(d.now), show_change(d.earlier, d.now)});
    }
    out += '\n';
    out += nodes.str();
  }
  if (!a.links.empty() && !b.links.empty()) {
    constexpr std::size_t most = 20;
    table chains({"longest chain", a.name, b.name}, {table::right, table::left, table::left});
    const std::size_t count = std::max(a.links.size(), b.links.size());
    for (std::size_t i = 0; i < std::min(most, count); ++i)
      chains.add({std::to_string(i + 1), link_of(a, i), link_of(b, i)});
    out += '\n';
    out += chains.str();
  }
  return out;
}

}  // namespace command
