// SPDX-License-Identifier: Apache-2.0
// What the record of a region has of a graph that ran in it: which worker computed which node, in which order. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sennit::detail {

// Times in nanoseconds since the beginning of the region; zero if they are not known. Comparisons of
// schedules ignore them.
struct span_of_time {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct graph_record {
  struct node {
    std::string key;  // its text
    std::uint32_t role = 0;
    span_of_time ran{};

    bool operator==(const node& other) const { return role == other.role && key == other.key; }
  };
  std::vector<node> nodes{};  // as they began. Empty if the texts of keys do not tell nodes apart

  bool operator==(const graph_record&) const = default;
};

}  // namespace sennit::detail
