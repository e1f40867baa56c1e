// What the kernels that are graphs of tasks are made of: runs under a policy, colors that the user chooses, and the graphs
// of steps over blocks.
#pragma once

#include "gallery/kernel.hpp"

#include <sennit/graph.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/serial.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gallery {

// How the nodes of a graph are colored.
struct color_choice {
  std::string colors = "nodes";
  sennit::graph::trace* trace = nullptr;  // that runs fill; null: none

  parameter which() {
    return {.name = "colors",
            .meaning = "what places the nodes' colors are; none at all, those of other places, or of none",
            .value = &colors,
            .words = {"nodes", "caches", "workers", "none", "shifted", "invalid"}};
  }
  sennit::graph::places places() const {
    if (colors == "workers") return sennit::graph::places::workers;
    if (colors == "caches") return sennit::graph::places::caches;
    return sennit::graph::places::nodes;
  }
};

// A graph whose keys are the points of a box.
// predecessors(key), compute(key): as in sennit::graph::nodes.
// owner(key, count): which of so many places has the key's data.
template <class Key, class Predecessors, class Compute, class Owner>
struct task_graph {
  sennit::graph::dense<std::tuple_size_v<Key>> box;
  Key sink;
  Predecessors predecessors;
  Compute compute;
  Owner owner;
};

namespace detail {

// The elision: a node's predecessors are called by it, in the order in which they are named, unless they have been before.
// A stack of its own, as chains may be long. Under a policy that counts forks, each node is one.
template <class P, class Key, class Predecessors, class Compute, class Owner>
void run_elided(const task_graph<Key, Predecessors, Compute, Owner>& graph) {
  const auto place = [&](const Key& k) {
    std::size_t at = 0;
    for (std::size_t d = 0; d < k.size(); ++d)
      at = at * graph.box.extents[d] + static_cast<std::size_t>(k[d]);
    return at;
  };
  using range = decltype(graph.predecessors(graph.sink));
  struct call {
    Key key;
    range needs;
    std::size_t next = 0;
  };
  std::size_t points = 1;
  for (const std::uint64_t extent : graph.box.extents) points *= extent;
  std::vector<bool> called(points);
  std::vector<call> calls;
  const auto enter = [&](const Key& k) {
    called[place(k)] = true;
    calls.push_back({k, graph.predecessors(k)});
  };
  enter(graph.sink);
  while (!calls.empty()) {
    call& latest = calls.back();
    if (latest.next < std::ranges::size(latest.needs)) {
      const Key needed = std::ranges::begin(latest.needs)[static_cast<std::ptrdiff_t>(latest.next++)];
      if (!called[place(needed)]) enter(needed);
    } else {
      P::parallel_for(0, 1, [&](int) { graph.compute(latest.key); });
      calls.pop_back();
    }
  }
}

}  // namespace detail

template <class P, class Key, class Predecessors, class Compute, class Owner>
void run_graph(const task_graph<Key, Predecessors, Compute, Owner>& graph, const color_choice& how) {
  if constexpr (!std::is_same_v<P, sennit::parallel>) {
    detail::run_elided<P>(graph);
  } else {
    const auto run = [&](auto color) {
      using color_type = decltype(color);
      sennit::graph::run(
          graph.sink,
          sennit::graph::nodes<Predecessors, Compute, color_type,
                               sennit::graph::dense<std::tuple_size_v<Key>>, sennit::graph::trace*>{
              .predecessors = graph.predecessors,
              .compute = graph.compute,
              .color = color,
              .keys = graph.box,
              .coloring = {.of = how.places()},
              .trace = how.trace});
    };
    if (how.colors == "none") return run(sennit::graph::no_color{});
    const unsigned count = sennit::graph::color_count(how.places());
    const unsigned shift = how.colors == "shifted" ? (count + 1) / 2 : 0;
    const bool invalid = how.colors == "invalid";
    run([=, owner = graph.owner](const Key& k) -> int {
      return invalid ? -1 : static_cast<int>((owner(k, count) + shift) % count);
    });
  }
}

// So many steps over so many blocks: the nodes of step 0 set the blocks up, each later one follows that of its block and of
// those beside it in the step before. The blocks are dealt to places in equal contiguous parts.
struct step_graph {
  using key = std::array<std::uint32_t, 2>;  // the step and the block; the sink comes one step after the last

  std::size_t steps;
  std::size_t blocks;
  bool ring = false;  // the first and the last block are beside each other

  // reach(step): how many blocks below and above the own one a step needs of the one before.
  // body(step, block).
  template <class Reach, class Body>
  auto with(Reach reach, Body body) const {
    const auto n = static_cast<std::int64_t>(blocks);
    const auto last = static_cast<std::uint32_t>(steps);
    const bool closed = ring;
    const auto predecessors = [=](key k) {
      std::int64_t from = 0;
      std::int64_t to = 0;
      if (k[0] > last) {
        to = n;
      } else if (k[0] > 0) {
        const auto [below, above] = reach(k[0]);
        from = std::int64_t{k[1]} - below;
        to = std::int64_t{k[1]} + above + 1;
        if (!closed) {
          from = std::max<std::int64_t>(from, 0);
          to = std::min(to, n);
        }
      }
      return std::views::iota(from, to) | std::views::transform([=, step = k[0] - 1](std::int64_t b) {
               return key{step, static_cast<std::uint32_t>((b + n) % n)};
             });
    };
    const auto compute = [=](key k) {
      if (k[0] <= last) body(std::size_t{k[0]}, std::size_t{k[1]});
    };
    const auto owner = [=](key k, unsigned places) {
      return static_cast<unsigned>(std::uint64_t{k[1]} * places / static_cast<std::uint64_t>(n));
    };
    return task_graph<key, decltype(predecessors), decltype(compute), decltype(owner)>{
        sennit::graph::dense<2>(last + 2, n), key{last + 1, 0}, predecessors, compute, owner};
  }
  template <class Body>
  auto with(Body body) const {
    return with([](std::uint32_t) { return std::pair(1, 1); }, body);
  }
};

}  // namespace gallery
