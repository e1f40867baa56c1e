// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/page.hpp"

#include "schedule/steal_tree.hpp"
#include "schedule/timeline.hpp"
#include "tools/sennit/site_names.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace command {
namespace {

using nlohmann::json;
using sennit::detail::event;
using sennit::detail::span_of_time;
using sennit::detail::steal;
using sennit::detail::steal_tree;

// Browsers represent numbers exactly only up to 2^53.
json position(std::uint64_t value) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53;
  return value <= most ? json(value) : json(std::to_string(value));
}

json happened(bool so, const event& e, const span_of_time& when) {
  return so ? json{e.role, e.sequence, when.begin, when.end} : json(0);
}

// A flat list, because a tree may be deeper than readers of JSON support. The page's script gives names to
// the columns.
json nodes_of(const steal_tree& tree, const sites& where,
              std::unordered_map<const steal*, std::int64_t>& numbers) {
  json nodes = json::array();
  walk(tree.root, [&](const sennit::detail::visit& at) {
    const steal& node = at.node;
    const std::int64_t parent = at.parent == nullptr ? -1 : numbers.at(at.parent);
    numbers.emplace(&node, static_cast<std::int64_t>(numbers.size()));
    nodes.push_back({parent, static_cast<int>(node.what), position(node.at), position(node.size),
                     happened(node.taken, node.begun, node.ran),
                     happened(node.waited, node.resumed, node.paused), where.number(node.site)});
  });
  return nodes;
}

json strands_of(const steal_tree& tree, const std::unordered_map<const steal*, std::int64_t>& numbers) {
  json strands = json::array();
  for (const sennit::detail::strand& strand : sennit::detail::strands(tree)) {
    json stretches = json::array();
    for (const auto& [by, when] : strand.stretches) stretches.push_back(happened(true, by, when));
    const std::int64_t node = strand.origin == nullptr ? -1 : numbers.at(strand.origin);
    strands.push_back({node, strand.parent, std::move(stretches)});
  }
  return strands;
}

json run_of(const sennit::schedule& s, std::string_view name, const sites& where) {
  const auto tree = sennit::detail::schedule_access::tree(s);
  std::unordered_map<const steal*, std::int64_t> numbers;
  json run{{"name", name}, {"length", tree->length}};
  run["nodes"] = nodes_of(*tree, where, numbers);
  run["strands"] = strands_of(*tree, numbers);
  for (const sennit::worker_share& share : s.shares()) {
    run["shares"].push_back(
        {{"steals", share.steals}, {"busy", share.busy.count()}, {"idle", share.idle.count()}});
  }
  run["sites"] = json::array();
  for (const site& one : where.named) run["sites"].push_back({one.function, one.line});
  return run;
}

json numbers_of(const moved_work& w) {
  return {{"iterations", position(w.iterations)}, {"moved", position(w.moved)}, {"changed", w.changed}};
}

json comparison_of(const comparison& c) {
  json workers = json::array();
  for (const moved_work& w : c.workers) workers.push_back(numbers_of(w));
  return {{"with", c.with},
          {"elsewhere", c.elsewhere},
          {"all", numbers_of(c.all())},
          {"workers", std::move(workers)},
          {"run", run_of(c.earlier, c.with, sites_of(*sennit::detail::schedule_access::tree(c.earlier)))}};
}

// The data is inside a script element, so it must have no end tag, comment or unusual line break.
std::string as_script(const json& data) {
  std::string out;
  for (const char c : data.dump(-1, ' ', true, json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string page_with(std::string_view page_template, const json& data) {
  std::string out(page_template);
  constexpr std::string_view place = "{{data}}";
  return out.replace(out.find(place), place.size(), as_script(data));
}

std::string page(const sennit::schedule& s, std::string_view name, const comparison* against) {
  const sites where = sites_of(*sennit::detail::schedule_access::tree(s));
  json data = run_of(s, name, where);
  data["steals"] = s.steals();
  data["depth"] = s.depth();
  data["bytes"] = s.bytes();
  data["remark"] = where.remark;
  if (against != nullptr) data["against"] = comparison_of(*against);
  return page_with(page_template, data);
}

}  // namespace command
