#include "tools/sennit/graph_shares.hpp"
#include "tools/sennit/page.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace command {

using nlohmann::json;

std::string page(const sennit::graph::trace& t, std::string_view name) {
  json data{{"name", name},
            {"length", t.length().count()},
            {"colors", t.colors() ? json(t.color_count()) : json(nullptr)},
            {"connected", t.has_predecessors()},
            {"shares", json::array()},
            {"nodes", json::array()}};
  if (t.colors()) {
    constexpr const char* places[] = {"workers", "caches", "NUMA nodes"};
    data["places"] = places[static_cast<std::size_t>(*t.colors())];
  }
  if (const auto chain = longest_chain(t)) data["chain"] = chain->count();
  for (const graph_share& s : shares(t)) {
    data["shares"].push_back({{"nodes", s.nodes},
                              {"busy", s.busy.count()},
                              {"idle", (t.length() - s.busy).count()},
                              {"colored", s.colored},
                              {"at_home", s.at_home}});
  }
  // The page's script gives names to the columns.
  for (const auto& n : t.nodes())
    data["nodes"].push_back(
        {n.key, n.worker, n.place, n.begin.count(), n.end.count(), n.colors, n.predecessors});
  return page_with(graph_page_template, data);
}

}  // namespace command
