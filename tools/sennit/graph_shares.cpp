// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/graph_shares.hpp"

#include "tools/sennit/graph_waits.hpp"

#include <algorithm>

namespace command {

using sennit::graph::trace;
using ns = std::chrono::nanoseconds;

bool at_home(const trace::node& n) { return std::ranges::find(n.colors, n.place) != n.colors.end(); }

std::vector<graph_share> shares(const trace& t) {
  std::vector<graph_share> all(t.workers());
  const auto times = busy_times(t);
  for (std::size_t w = 0; w < all.size(); ++w) {
    for (const auto& [begin, end] : times[w]) all[w].busy += end - begin;
    all[w].first = times[w].empty() ? t.length() : times[w].front().begin;
    all[w].last = times[w].empty() ? ns{0} : times[w].back().end;
  }
  for (const trace::node& n : t.nodes()) {
    graph_share& share = all[n.worker];
    ++share.nodes;
    share.colored += n.colors.empty() ? 0 : 1;
    share.at_home += at_home(n) ? 1 : 0;
  }
  return all;
}

}  // namespace command
