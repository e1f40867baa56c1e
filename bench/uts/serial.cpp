// SPDX-License-Identifier: Apache-2.0
#include "common/program.hpp"
#include "uts/tree.hpp"

#include <cstdint>

SENNIT_BENCH_NOINLINE static std::uint64_t count(std::uint64_t node, std::uint64_t children) {
  std::uint64_t nodes = 1;
  for (std::uint64_t i = 0; i < children; ++i) {
    const std::uint64_t child = uts::child(node, i);
    nodes += count(child, uts::inner(child) ? uts::fanout : 0);
  }
  return nodes;
}

// All children but the last are forked.
static std::uint64_t forks(std::uint64_t node, std::uint64_t children) {
  std::uint64_t sum = children == 0 ? 0 : children - 1;
  for (std::uint64_t i = 0; i < children; ++i) {
    const std::uint64_t child = uts::child(node, i);
    sum += forks(child, uts::inner(child) ? uts::fanout : 0);
  }
  return sum;
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  program.forks(forks(uts::root, program.size()));
  return program.run([](std::uint64_t children) { return count(uts::root, children); });
}
