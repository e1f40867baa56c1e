// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "uts/tree.hpp"

#include <cstdint>
#include <vector>

static std::uint64_t count(std::uint64_t node, std::uint64_t children);

static std::uint64_t spawn_children(std::uint64_t node, std::uint64_t children, std::uint64_t* nodes) {
  tbb::task_group group;
  for (std::uint64_t i = 0; i < children; ++i) {
    const std::uint64_t child = uts::child(node, i);
    const auto visit = [child, slot = &nodes[i]] {
      *slot = count(child, uts::inner(child) ? uts::fanout : 0);
    };
    if (i + 1 == children) {
      visit();
    } else {
      group.run(visit);
    }
  }
  group.wait();
  std::uint64_t sum = 1;
  for (std::uint64_t i = 0; i < children; ++i) sum += nodes[i];
  return sum;
}

SENNIT_BENCH_NOINLINE static std::uint64_t count(std::uint64_t node, std::uint64_t children) {
  if (children == 0) return 1;
  std::uint64_t nodes[uts::fanout];
  return spawn_children(node, children, nodes);
}

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::onetbb_version());
  bench::onetbb tbb(program);
  return program.run([&](std::uint64_t children) {
    std::vector<std::uint64_t> nodes(children);
    return tbb.run([&] { return spawn_children(uts::root, children, nodes.data()); });
  });
}
