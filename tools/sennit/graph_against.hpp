// SPDX-License-Identifier: Apache-2.0
// A run of a graph against another one.
#pragma once

#include <sennit/graph_trace.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace command {

// What a table says of one run.
struct graph_summary {
  std::string name;
  std::size_t nodes = 0;
  std::uint32_t workers = 1;
  std::chrono::nanoseconds length{0};
  std::chrono::nanoseconds first{0};      // when the first node began
  std::chrono::nanoseconds computing{0};  // the sum of all nodes' times
  double busy = 0;                        // the share of all workers' time; from 0 to 1
  std::optional<std::chrono::nanoseconds> chain{};
  struct link {
    std::string key;
    std::chrono::nanoseconds time;
  };
  std::vector<link> links{};  // the chain's first nodes
  std::size_t chain_nodes = 0;
};

// All nodes of one key, of which most graphs have one.
struct graph_difference {
  std::string key;
  std::size_t nodes;  // in this run
  std::chrono::nanoseconds earlier;
  std::chrono::nanoseconds now;
};

struct graph_comparison {
  graph_summary earlier;
  graph_summary now;
  std::vector<graph_difference> differences{};  // the largest first
  std::size_t common = 0;                       // keys that both runs have
  std::size_t only_now = 0;                     // keys
  std::size_t only_earlier = 0;
  std::size_t elsewhere = 0;  // common keys of one node each, which another worker computed
};

graph_summary summary_of(const sennit::graph::trace& t, const std::string& name);
graph_comparison compare(const sennit::graph::trace& now, const std::string& name,
                         const sennit::graph::trace& earlier, const std::string& earlier_name);

// The comparison in lines.
std::string text(const graph_comparison& c);

}  // namespace command
