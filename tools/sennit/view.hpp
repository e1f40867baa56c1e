// SPDX-License-Identifier: Apache-2.0
// `sennit view FILE...`, or `sennit view splice FILE`
#pragma once

#include "tools/sennit/graph_filter.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace command {

struct view_options {
  std::filesystem::path file{};
  std::vector<std::filesystem::path> ranks{};  // traces of a program on ranks, instead of one file
  std::string output{};                        // empty: FILE.html, unless another output is requested
  std::string trace_events{};                  // empty: not written
  std::filesystem::path against;               // empty: no comparison
  std::string dot{};                           // of a graph; empty: not written
  graph_filter filter{};                       // of a graph's nodes
  std::uint64_t cache =
      0;               // bytes of the simulated one; 0: that of the machine for which the order was found
  unsigned nodes = 0;  // of the workers; 0: compare the workers themselves
  bool text = false;
  bool splice = false;  // treat the file as the schedule of a splice, whatever it contains
};

void view(const view_options& options);

}  // namespace command
