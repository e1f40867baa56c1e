// SPDX-License-Identifier: Apache-2.0
#include "programs/graphs.hpp"

#include <algorithm>
#include <cmath>

namespace sennit::sim {

namespace {

constexpr std::uint32_t mib = 1024 * 1024;

// splitmix64
struct draws {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(next() % n); }
  double share() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

void add_edge(task_graph& g, std::uint32_t before, std::size_t after) {
  g.edges.push_back({before, static_cast<std::uint32_t>(after)});
}

// Iterations over blocks of rows: a task needs its own block and both neighbors of the iteration before. `arrays` of one block
// are read, `written` are written.
task_graph stencil(std::string name, std::uint32_t tasks, std::uint32_t iterations, double seconds,
                   std::uint64_t bytes, std::uint32_t read, std::uint32_t written) {
  const std::uint32_t blocks = tasks / iterations;
  task_graph g{
      .name = std::move(name), .serial_seconds = seconds, .blocks = blocks, .tasks = {}, .edges = {}};
  const auto size = static_cast<std::uint32_t>(bytes / blocks);
  for (std::uint32_t t = 0; t < iterations; ++t) {
    for (std::uint32_t b = 0; b < blocks; ++b) {
      graph_task task{.time = 0, .home = b, .touched = {}};
      const std::size_t number = g.tasks.size();
      task.touched.push_back({b, size * read, false});
      for (const std::uint32_t n : {b - 1, b + 1})
        if (n < blocks) task.touched.push_back({n, std::min(size, 131072U), false});
      task.touched.push_back({b, size * written, true});
      if (t > 0)
        for (const std::uint32_t n : {b - 1, b, b + 1})
          if (n < blocks) add_edge(g, (t - 1) * blocks + n, number);
      g.tasks.push_back(std::move(task));
    }
  }
  return g;
}

// Power iterations over blocks of pages. A block reads its links, and the ranks of the blocks that link to it: some near it and
// some anywhere, more for a graph with more skew.
task_graph pages(std::string name, std::uint32_t tasks, double seconds, std::uint64_t links,
                 std::uint32_t near, std::uint32_t anywhere, double skew) {
  constexpr std::uint32_t iterations = 10;
  const std::uint32_t blocks = tasks / iterations;
  task_graph g{
      .name = std::move(name), .serial_seconds = seconds, .blocks = blocks, .tasks = {}, .edges = {}};
  draws random{42};
  std::vector<double> weights;
  double all = 0;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    weights.push_back(std::exp(skew * (random.share() + random.share() + random.share() - 1.5)));
    all += weights.back();
  }
  std::vector<std::vector<std::uint32_t>> needs(blocks);
  for (std::uint32_t b = 0; b < blocks; ++b) {
    needs[b].push_back(b);
    for (std::uint32_t n = 1; n <= near; ++n)
      for (const std::uint32_t other : {b - n, b + n})
        if (other < blocks) needs[b].push_back(other);
    for (std::uint32_t n = 0; n < anywhere; ++n) needs[b].push_back(random.below(blocks));
    std::ranges::sort(needs[b]);
    needs[b].erase(std::ranges::unique(needs[b]).begin(), needs[b].end());
  }
  for (std::uint32_t t = 0; t < iterations; ++t) {
    for (std::uint32_t b = 0; b < blocks; ++b) {
      graph_task task{.time = static_cast<picoseconds>(1e6 * weights[b]), .home = b, .touched = {}};
      const std::size_t number = g.tasks.size();
      const double own = static_cast<double>(links) * 4 * weights[b] / all;
      task.touched.push_back({b, static_cast<std::uint32_t>(std::min(own, 4e9)), false});
      for (const std::uint32_t n : needs[b]) {
        if (n != b) task.touched.push_back({n, mib / 2, false});
        if (t > 0) add_edge(g, (t - 1) * blocks + n, number);
      }
      task.touched.push_back({b, mib, true});
      g.tasks.push_back(std::move(task));
    }
  }
  return g;
}

// A square of tasks, each after those above and to the left. With `cubic` work, a task takes longer the farther it is from both
// edges, as it looks back along its row and column. Blocks of data are rows of tasks.
task_graph wavefront(std::string name, std::uint32_t side, double seconds, bool cubic, std::uint32_t bytes) {
  task_graph g{
      .name = std::move(name), .serial_seconds = seconds, .blocks = side * side, .tasks = {}, .edges = {}};
  for (std::uint32_t i = 0; i < side; ++i) {
    for (std::uint32_t j = 0; j < side; ++j) {
      const std::uint32_t number = i * side + j;
      graph_task task{
          .time = static_cast<picoseconds>(cubic ? i + j + 1 : 1) * 1'000'000, .home = number, .touched = {}};
      if (cubic) {
        // Of what it looks back at, a part of its row and its column.
        for (std::uint32_t k = 1; k <= 8; ++k) {
          if (i * k / 9 < i) task.touched.push_back({i * k / 9 * side + j, bytes, false});
          if (j * k / 9 < j) task.touched.push_back({i * side + j * k / 9, bytes, false});
        }
      }
      if (i > 0) task.touched.push_back({number - side, bytes / 16, false});
      if (j > 0) task.touched.push_back({number - 1, bytes / 16, false});
      task.touched.push_back({number, bytes, true});
      if (i > 0) add_edge(g, number - side, number);
      if (j > 0) add_edge(g, number - 1, number);
      g.tasks.push_back(std::move(task));
    }
  }
  return g;
}

// One conjugate gradient step by blocks of rows: products, then sums and vectors, each after all of the one before.
task_graph cg() {
  constexpr std::uint32_t blocks = 100;
  task_graph g{.name = "cg", .serial_seconds = 309, .blocks = blocks, .tasks = {}, .edges = {}};
  for (std::uint32_t stage = 0; stage < 3; ++stage) {
    for (std::uint32_t b = 0; b < blocks; ++b) {
      graph_task task{.time = 0, .home = b, .touched = {}};
      // The step stands for all of its iterations: so many times 900,000 * 27 * 27 entries of 12 bytes.
      task.touched.push_back({b, stage == 0 ? 3'000'000'000U : 200'000'000U, false});
      if (stage == 0)
        for (std::uint32_t n = 0; n < blocks; n += 10)
          task.touched.push_back({(b + n + 1) % blocks, 10 * mib, false});
      task.touched.push_back({b, 10 * mib, true});
      if (stage > 0)
        for (std::uint32_t n = 0; n < blocks; ++n) add_edge(g, (stage - 1) * blocks + n, g.tasks.size());
      g.tasks.push_back(std::move(task));
    }
  }
  return g;
}

// The V-cycle as rounds over blocks of planes, finer and coarser.
task_graph mg() {
  task_graph g = stencil("mg", 16384, 8, 690, std::uint64_t{64} << 30, 2, 1);
  return g;
}

}  // namespace

std::vector<task_graph> graphs_of_002() {
  // 16384 x 655360 numbers of 8 bytes; of life, 2 bytes.
  constexpr std::uint64_t plane = std::uint64_t{16384} * 655360 * 8;
  std::vector<task_graph> all;
  all.push_back(cg());
  all.push_back(mg());
  all.push_back(stencil("heat", 102400, 5, 377, plane, 1, 1));
  all.push_back(stencil("fdtd-2d", 102400, 5, 970, plane, 3, 3));
  all.push_back(stencil("life", 102400, 5, 275, plane / 2, 1, 1));
  all.push_back(pages("page-uk-2002", 1800, 198, 298'000'000, 1, 1, 1.0));
  all.push_back(pages("page-twitter-2010", 4100, 1025, 1'468'000'000, 1, 24, 2.0));
  all.push_back(pages("page-uk-2007-05", 10500, 900, 3'738'000'000, 1, 1, 1.0));
  all.push_back(wavefront("sw", 160, 450, true, 256 * 1024));
  all.push_back(wavefront("swn2", 128, 179, false, 4 * mib));
  return all;
}

void give_times(task_graph& graph, double memory) {
  double all = 0;
  for (graph_task& task : graph.tasks) {
    if (task.time == 0)
      for (const touch& t : task.touched) task.time += t.bytes;
    all += static_cast<double>(task.time);
  }
  // At least a fifth of the serial time, where the touches alone take as long.
  const double of_strands = std::max(graph.serial_seconds - memory, graph.serial_seconds / 5);
  for (graph_task& task : graph.tasks)
    task.time = static_cast<picoseconds>(static_cast<double>(task.time) / all * of_strands * 1e12);
}

std::uint32_t color_of(const task_graph& graph, std::size_t task, unsigned workers, coloring colors) {
  const auto owner =
      static_cast<std::uint32_t>(std::uint64_t{graph.tasks[task].home} * workers / graph.blocks);
  return colors == coloring::bad ? (owner + workers / 2) % workers : owner;
}

program graph_as(const task_graph& graph, unsigned workers, coloring colors, unsigned workers_per_color) {
  program p;
  std::vector<node_number> tasks;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const node_number n = p.work(graph.tasks[t].time, graph.tasks[t].touched);
    tasks.push_back(
        colors == coloring::none ? n : p.colored(n, color_of(graph, t, workers, colors) / workers_per_color));
  }
  p.set_root(p.graph(tasks, graph.edges));
  return p;
}

std::vector<std::uint32_t> homes_of(const task_graph& graph, unsigned workers, unsigned workers_per_node) {
  std::vector<std::uint32_t> homes;
  for (std::uint32_t b = 0; b < graph.blocks; ++b)
    homes.push_back(static_cast<std::uint32_t>(std::uint64_t{b} * workers / graph.blocks) / workers_per_node);
  return homes;
}

}  // namespace sennit::sim
