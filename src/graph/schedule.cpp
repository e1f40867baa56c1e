// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/failure.hpp>
#include <sennit/graph_replay.hpp>

#include <stdexcept>
#include <utility>

namespace sennit::graph {

schedule::schedule(const trace& seen) {
  places_.reserve(seen.nodes().size());
  for (const trace::node& n : seen.nodes()) assign(n.key, n.worker);
}

void schedule::assign(std::string key, std::uint32_t worker) {
  constexpr std::uint32_t most_workers = 1U << 20;
  if (worker >= most_workers) {
    detail::fail<std::invalid_argument>("sennit: graph::schedule: there is no worker " +
                                        std::to_string(worker) + "; give a number below " +
                                        std::to_string(most_workers));
  }
  // Nothing is changed where it throws.
  counts_.reserve(worker + std::size_t{1});
  const auto before = worker < counts_.size() ? counts_[worker] : 0;
  const auto [at, added] = places_.try_emplace(std::move(key), place{worker, before});
  if (!added) {
    detail::fail<std::invalid_argument>("sennit: graph::schedule: two nodes have the key '" + at->first +
                                        "'; give keys texts of their own");
  }
  if (worker >= counts_.size()) counts_.resize(worker + std::size_t{1});
  ++counts_[worker];
}

std::optional<schedule::place> schedule::find(std::string_view key) const {
  const auto found = places_.find(key);
  return found != places_.end() ? std::optional(found->second) : std::nullopt;
}

}  // namespace sennit::graph
