// SPDX-License-Identifier: Apache-2.0
// The task graphs of paper 002, Table I, with the number of nodes, the shape and the serial times that it gives.
#pragma once

#include "program/program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sennit::sim {

enum class coloring : std::uint8_t { none, by_data, bad };

struct graph_task {
  picoseconds time = 0;    // on data that is at hand
  std::uint32_t home = 0;  // the block of data that is its own; its color is that of the block's owner
  std::vector<touch> touched;
};

struct task_graph {
  std::string name;
  double serial_seconds = 0;
  std::uint32_t blocks = 0;  // of data, in contiguous equal parts of the workers
  std::vector<graph_task> tasks;
  std::vector<program::edge> edges;
};

// Without the times of strands, but for where a task's time is not in proportion to its bytes: these have relative times.
std::vector<task_graph> graphs_of_002();

// Gives strands their times such that the graph takes its serial time if its touches alone take `memory` seconds.
void give_times(task_graph& graph, double memory);

// Colors are workers: of a block's owner, or with `bad` of a worker that is half of the machine away.
std::uint32_t color_of(const task_graph& graph, std::size_t task, unsigned workers, coloring colors);

// So many neighboring workers have one color.
program graph_as(const task_graph& graph, unsigned workers, coloring colors, unsigned workers_per_color = 1);

// The node of each block, for workers in contiguous equal parts of `workers_per_node`.
std::vector<std::uint32_t> homes_of(const task_graph& graph, unsigned workers, unsigned workers_per_node);

}  // namespace sennit::sim
