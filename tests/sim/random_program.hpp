// SPDX-License-Identifier: Apache-2.0
// Programs at random, for tests of the simulator.
#pragma once

#include "engine/names.hpp"
#include "machine/machine.hpp"
#include "program/program.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sennit::sim {

// Of all constructs, nested. The same for the same seed on any machine.
class random_program {
 public:
  explicit random_program(std::uint64_t seed, unsigned depth = 6) : state_(seed) {
    made_.set_root(part_of(depth));
  }
  const program& operator*() const noexcept { return made_; }
  const program* operator->() const noexcept { return &made_; }

 private:
  std::uint64_t below(std::uint64_t n) {
    state_ = name_of_branch(state_, 1);
    return state_ % n;
  }
  // Most strands are short, and some are long.
  node_number strand() { return made_.work((std::uint64_t{1} << below(22)) + below(1000)); }

  node_number part_of(unsigned depth) {
    if (depth == 0 || below(8) == 0) return strand();
    std::vector<node_number> parts;
    switch (below(6)) {
      case 0: {
        const std::uint64_t count = 1 + below(4);
        for (std::uint64_t i = 0; i < count; ++i) parts.push_back(part_of(depth - 1));
        return made_.series(parts);
      }
      case 1: {
        const std::uint64_t count = 1 + below(5);
        for (std::uint64_t i = 0; i < count; ++i) {
          const std::uint64_t kind = below(4);
          parts.push_back(kind == 0   ? made_.wait()
                          : kind == 1 ? part_of(depth - 1)
                                      : made_.spawn(part_of(depth - 1)));
        }
        return made_.series(parts);
      }
      case 2: {
        const std::uint64_t count = 1 + below(4);
        for (std::uint64_t i = 0; i < count; ++i)
          parts.push_back(below(2) == 0 ? made_.each(1 + below(1000), strand())
                                        : made_.each(1 + below(3), part_of(depth - 1)));
        return made_.loop(parts);
      }
      case 3: {
        const std::uint64_t count = 1 + below(12);
        for (std::uint64_t i = 0; i < count; ++i)
          parts.push_back(
              made_.colored(part_of(static_cast<unsigned>(below(2))), static_cast<std::uint32_t>(below(4))));
        std::vector<program::edge> edges;
        for (std::uint32_t after = 1; after < count; ++after)
          for (std::uint64_t e = below(3); e > 0; --e)
            edges.push_back({static_cast<std::uint32_t>(below(after)), after});
        std::ranges::sort(edges, [](auto a, auto b) {
          return a.before != b.before ? a.before < b.before : a.after < b.after;
        });
        return made_.graph(parts, edges);
      }
      default: return made_.fork(part_of(depth - 1), part_of(depth - 1));
    }
  }

  std::uint64_t state_;
  program made_;
};

// So many nodes with two caches each. Costs as of a server.
inline machine server(unsigned nodes, unsigned cores_of_cache) {
  machine m;
  const std::vector<std::vector<unsigned>> tree(nodes, {cores_of_cache, cores_of_cache});
  m.name = "server";
  m.where = places(tree);
  constexpr picoseconds ns = nanosecond;
  machine_costs& c = m.costs;
  c.fork = 2 * ns;
  c.fence = 8 * ns;
  c.loop_chunk = 2 * ns;
  c.strand = 100 * ns;
  c.steal_miss = {.same_cache = 30 * ns, .same_node = 60 * ns, .other_node = 120 * ns};
  c.steal_hit = {.same_cache = 150 * ns, .same_node = 250 * ns, .other_node = 500 * ns};
  c.deque_lock = 40 * ns;
  c.transfer = {.same_cache = 40 * ns, .same_node = 80 * ns, .other_node = 160 * ns};
  c.promotion = 50 * ns;
  c.signal_send = 500 * ns;
  c.signal_take = 1500 * ns;
  c.park = 1000 * ns;
  c.wake_call = 1500 * ns;
  c.wake_latency = 5000 * ns;
  c.barrier_base = 700 * ns;
  c.barrier_per_thread = 30 * ns;
  c.barrier_interrupt = 200 * ns;
  machine_memory& memory = m.memory;
  memory.line_bytes = 64;
  memory.private_bytes = 1 << 20;
  memory.shared_bytes = 16 << 20;
  memory.shared_latency = 20 * ns;
  memory.local_latency = 90 * ns;
  memory.remote_latency = 150 * ns;
  memory.core_shared = 20'000;
  memory.core_local = 10'000;
  memory.core_remote = 5'000;
  memory.node_bandwidth = 100'000;
  memory.link_bandwidth = 20'000;
  return m;
}

}  // namespace sennit::sim
