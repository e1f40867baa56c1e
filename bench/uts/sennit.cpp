// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "uts/tree.hpp"

#include <sennit/join.hpp>
#include <sennit/task_group.hpp>

#include <cstdint>
#include <vector>

static std::uint64_t children_from(std::uint64_t node, std::uint64_t i, std::uint64_t children);

static std::uint64_t count(std::uint64_t node, std::uint64_t children) {
  return children == 0 ? 1 : 1 + children_from(node, 0, children);
}

// A child, and beside it the rest of its siblings.
static std::uint64_t children_from(std::uint64_t node, std::uint64_t i, std::uint64_t children) {
  const std::uint64_t child = uts::child(node, i);
  const std::uint64_t grandchildren = uts::inner(child) ? uts::fanout : 0;
  if (i + 1 == children) return count(child, grandchildren);
  auto [first, rest] = sennit::join([=] { return count(child, grandchildren); },
                                    [=] { return children_from(node, i + 1, children); });
  return first + rest;
}

static std::uint64_t count_grouped(std::uint64_t node, std::uint64_t children);

// The form for a number of children known only at run time: a task_group, and a slot a child for the result.
static std::uint64_t spawn_children(std::uint64_t node, std::uint64_t children, std::uint64_t* nodes) {
  sennit::task_group group;
  for (std::uint64_t i = 0; i < children; ++i) {
    const std::uint64_t child = uts::child(node, i);
    const auto visit = [child, slot = &nodes[i]] {
      *slot = count_grouped(child, uts::inner(child) ? uts::fanout : 0);
    };
    if (i + 1 == children) {
      visit();
    } else {
      group.spawn(visit);
    }
  }
  group.wait();
  std::uint64_t sum = 1;
  for (std::uint64_t i = 0; i < children; ++i) sum += nodes[i];
  return sum;
}

SENNIT_BENCH_NOINLINE static std::uint64_t count_grouped(std::uint64_t node, std::uint64_t children) {
  if (children == 0) return 1;
  std::uint64_t nodes[uts::fanout];
  return spawn_children(node, children, nodes);
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::sennit_runtime runtime(program);
  if (!program.is("task-group"))
    return program.run(
        [&](std::uint64_t children) { return runtime.run([&] { return count(uts::root, children); }); });
  return program.run([&](std::uint64_t children) {
    std::vector<std::uint64_t> nodes(children);
    return runtime.run([&] { return spawn_children(uts::root, children, nodes.data()); });
  });
}
