// SPDX-License-Identifier: Apache-2.0
// Graphs whose nodes do nothing, on one worker. test_counted.py runs it under callgrind, which writes the number of instructions
// at each mark.
#include <sennit/graph.hpp>
#include <sennit/runtime.hpp>
#include <sennit/static_graph.hpp>
#include <sennit/task_graph.hpp>

#include <valgrind/callgrind.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <ranges>

namespace {

constexpr int nodes = 40'000;
constexpr int side = 200;

void mark(const char* name, auto run) {
  run();  // what is made once
  CALLGRIND_ZERO_STATS;
  run();
  CALLGRIND_DUMP_STATS_AT(name);
  std::printf("%s %d\n", name, nodes);
}

void chain() {
  const auto before = [](int k) { return std::views::iota(k == 0 ? 0 : k - 1, k); };
  sennit::graph::run(nodes - 1, sennit::graph::nodes{.predecessors = before,
                                                     .compute = [](int) {},
                                                     .keys = sennit::graph::dense(nodes)});
}

// A node's predecessors, without an allocation.
struct neighbors {
  using key = std::array<int, 2>;
  explicit neighbors(key k) {
    if (k[0] > 0) keys[count++] = {k[0] - 1, k[1]};
    if (k[1] > 0) keys[count++] = {k[0], k[1] - 1};
  }
  auto begin() const { return keys.begin(); }
  auto end() const { return keys.begin() + count; }
  std::size_t size() const { return static_cast<std::size_t>(count); }

  std::array<key, 2> keys{};
  std::ptrdiff_t count = 0;
};

void grid() {
  using key = neighbors::key;
  sennit::graph::run(key{side - 1, side - 1},
                     sennit::graph::nodes{.predecessors = [](key k) { return neighbors(k); },
                                          .compute = [](key) {},
                                          .keys = sennit::graph::dense(side, side)});
}

}  // namespace

int main() {
  sennit::runtime one_worker({.workers = 1});
  one_worker.run([] {
    mark("chain", chain);
    mark("grid", grid);

    sennit::graph::static_graph built;
    sennit::graph::static_graph::node last = built.add();
    for (int i = 1; i < nodes; ++i) {
      const auto next = built.add();
      built.edge(last, next);
      last = next;
    }
    mark("static", [&] { built.run([](auto) {}); });

    sennit::graph::task_graph tasks;
    for (int i = 0; i < nodes; ++i) tasks.add([] {});
    mark("tasks", [&] { tasks.run(); });
  });
  return 0;
}
