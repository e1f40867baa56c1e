// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/graph_shares.hpp"
#include "tools/sennit/graph_view.hpp"
#include "tools/sennit/page.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace command {
namespace {

using nlohmann::json;
using sennit::graph::trace;
using ns = std::chrono::nanoseconds;

constexpr std::size_t most_of_key = 1'000;  // bytes

std::string cut(const std::string& key) {
  return key.size() <= most_of_key ? key : key.substr(0, most_of_key) + "…";
}

// About as many as the page has of these nodes.
std::size_t bytes_of(const trace& t, const std::vector<std::uint32_t>& nodes) {
  constexpr std::size_t of_numbers = 60;
  constexpr std::size_t of_predecessor = 7;
  std::size_t bytes = 0;
  for (const std::uint32_t i : nodes) {
    const trace::node& n = t.nodes()[i];
    bytes += of_numbers + std::min(n.key.size(), most_of_key) + of_predecessor * n.predecessors.size();
  }
  return bytes;
}

// The nodes of the tables of a page that does not have all.
std::vector<std::uint32_t> nodes_of_tables(const graph_view& view) {
  constexpr std::size_t most = 300;
  std::vector<std::uint32_t> nodes = view.longest(most);
  const std::vector<std::uint32_t> waiting = view.most_waiting(most);
  nodes.insert(nodes.end(), waiting.begin(), waiting.end());
  if (view.chain) {
    std::vector<std::uint32_t> chain;
    for (const std::uint32_t i : view.chain->nodes) {
      if (std::ranges::binary_search(view.shown, i)) chain.push_back(i);
    }
    std::ranges::sort(chain, {}, [&](std::uint32_t i) {
      return std::pair(view.t.nodes()[i].begin - view.t.nodes()[i].end, i);  // the longest first
    });
    chain.resize(std::min(chain.size(), most));
    nodes.insert(nodes.end(), chain.begin(), chain.end());
  }
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// For each worker the percentage of each part of the run in which it was busy.
json lanes_of(const trace& t) {
  constexpr std::size_t most_parts = 1'000;
  constexpr std::size_t most_numbers = 200'000;
  const std::size_t parts = std::max<std::size_t>(10, std::min(most_parts, most_numbers / t.workers()));
  const double size = static_cast<double>(t.length().count()) / static_cast<double>(parts);
  json lanes = json::array();
  for (const std::vector<busy_time>& times : busy_times(t)) {
    std::vector<double> busy(parts);
    for (const auto& [begin, end] : times) {
      const auto from = static_cast<double>(begin.count());
      const auto to = static_cast<double>(end.count());
      for (auto part = static_cast<std::size_t>(from / size); part < parts; ++part) {
        const double left = static_cast<double>(part) * size;
        if (left >= to) break;
        busy[part] += (std::min(to, left + size) - std::max(from, left)) / size;
      }
    }
    json lane = json::array();
    for (const double share : busy) lane.push_back(static_cast<int>(100 * std::min(1.0, share) + 0.5));
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

// The page's script gives names to the columns.
json nodes_of(const graph_view& view, const std::vector<std::uint32_t>& nodes,
              const std::vector<std::uint32_t>& number) {
  json rows = json::array();
  for (const std::uint32_t i : nodes) {
    const trace::node& n = view.t.nodes()[i];
    json needs = json::array();
    for (const std::uint32_t p : n.predecessors) {
      if (number[p] != no_node) needs.push_back(number[p]);
    }
    json row{cut(n.key), n.worker, n.place, n.begin.count(), n.end.count(), n.colors, std::move(needs)};
    if (!view.waits.empty() && view.waits[i].last != no_node) {
      const node_wait& wait = view.waits[i];
      row.push_back(number[wait.last] != no_node ? json(number[wait.last])
                                                 : json(cut(view.t.nodes()[wait.last].key)));
      row.push_back(wait.ready.count());
      row.push_back(wait.avoidable.count());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

json chain_of(const graph_view& view, const std::vector<std::uint32_t>& number) {
  if (!view.chain) return nullptr;
  json nodes = json::array();
  for (const std::uint32_t i : view.chain->nodes) {
    if (number[i] != no_node) nodes.push_back(number[i]);
  }
  return {
      {"time", view.chain->time.count()}, {"count", view.chain->nodes.size()}, {"nodes", std::move(nodes)}};
}

json summary(const graph_summary& run) {
  json links = json::array();
  for (const graph_summary::link& link : run.links) links.push_back({cut(link.key), link.time.count()});
  return {{"name", run.name},
          {"length", run.length.count()},
          {"workers", run.workers},
          {"nodes", run.nodes},
          {"busy", run.busy},
          {"first", run.first.count()},
          {"computing", run.computing.count()},
          {"chain", run.chain ? json(run.chain->count()) : json(nullptr)},
          {"chain_nodes", run.chain_nodes},
          {"links", std::move(links)}};
}

json comparison_of(const graph_comparison& c) {
  json differences = json::array();
  for (const graph_difference& d : c.differences)
    differences.push_back({cut(d.key), d.nodes, d.earlier.count(), d.now.count()});
  return {{"earlier", summary(c.earlier)},
          {"now", summary(c.now)},
          {"common", c.common},
          {"only_now", c.only_now},
          {"only_earlier", c.only_earlier},
          {"elsewhere", c.elsewhere},
          {"differences", std::move(differences)}};
}

}  // namespace

std::string page(const graph_view& view, std::string_view name, const graph_comparison* against) {
  const trace& t = view.t;
  const bool whole = bytes_of(t, view.shown) <= most_bytes_of_nodes;
  const std::vector<std::uint32_t> nodes = whole ? view.shown : nodes_of_tables(view);
  std::vector<std::uint32_t> number(t.nodes().size(), no_node);
  for (std::uint32_t i = 0; i < nodes.size(); ++i) number[nodes[i]] = i;
  json data{{"name", name},
            {"length", t.length().count()},
            {"failed", t.failed()},
            {"colors", t.colors() ? json(t.color_count()) : json(nullptr)},
            {"connected", t.has_predecessors()},
            {"total", t.nodes().size()},
            {"chosen", view.shown.size()},
            {"chain", chain_of(view, number)},
            {"nodes", nodes_of(view, nodes, number)},
            {"shares", json::array()}};
  data["first"] = t.nodes().empty() ? t.length().count() : t.nodes().front().begin.count();
  if (!whole) data["lanes"] = lanes_of(t);
  if (!t.has_predecessors()) data["remedy"] = how_to_get_predecessors(t);
  if (t.colors()) {
    constexpr const char* places[] = {"workers", "caches", "NUMA nodes"};
    data["places"] = places[static_cast<std::size_t>(*t.colors())];
  }
  for (const graph_share& s : shares(t)) {
    data["shares"].push_back({{"nodes", s.nodes},
                              {"busy", s.busy.count()},
                              {"idle", (t.length() - s.busy).count()},
                              {"first", s.first.count()},
                              {"last", s.last.count()},
                              {"colored", s.colored},
                              {"at_home", s.at_home}});
  }
  if (against != nullptr) data["compared"] = comparison_of(*against);
  return page_with(graph_page_template, data);
}

}  // namespace command
