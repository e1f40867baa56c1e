// SPDX-License-Identifier: Apache-2.0
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
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gallery {

// How the nodes of a graph are colored.
struct color_choice {
  std::string colors = "nodes";
  std::optional<sennit::graph::places> of = {};  // what places, whatever the word says
  sennit::graph::trace* trace = nullptr;         // that runs fill; null: none

  parameter which() {
    return {.name = "colors",
            .meaning = "what places the nodes' colors are; none at all, those of other places, or of none",
            .value = &colors,
            .words = {"nodes", "caches", "workers", "none", "shifted", "invalid"}};
  }
  sennit::graph::places places() const {
    if (of) return *of;
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

// Stages of so many parts each, to be run one after the other, or as a graph: part i of a stage waits for those of the stage
// before that it needs, and for nothing else.
//   width(stage), body(stage, i)
//   needs(stage, i): the first and the one after the last, counted around; not asked of stage 0
template <class Width, class Needs, class Body>
struct staged {
  std::size_t count;
  Width width;
  Needs needs;
  Body body;
};

using stage_key =
    std::array<std::uint32_t, 2>;  // the stage and the part; the sink comes after the last stage

// The parts of each stage are dealt to places in equal contiguous shares.
template <class Width, class Needs, class Body>
auto graph_of(const staged<Width, Needs, Body>& all) {
  const auto count = static_cast<std::uint32_t>(all.count);
  std::size_t widest = 1;
  for (std::size_t s = 0; s < all.count; ++s) widest = std::max<std::size_t>(widest, all.width(s));
  const auto predecessors = [=, width = all.width, needs = all.needs](stage_key k) {
    std::pair<std::int64_t, std::int64_t> parts(0, 0);
    std::int64_t n = 1;
    if (k[0] > 0) {
      n = static_cast<std::int64_t>(width(k[0] - 1));
      parts = k[0] == count ? std::pair(std::int64_t{0}, n) : needs(k[0], k[1]);
    }
    return std::views::iota(parts.first, parts.second) |
           std::views::transform([n, before = k[0] - 1](std::int64_t part) {
             return stage_key{before, static_cast<std::uint32_t>((part + n) % n)};
           });
  };
  const auto compute = [=, body = all.body](stage_key k) {
    if (k[0] < count) body(std::size_t{k[0]}, std::size_t{k[1]});
  };
  const auto owner = [=, width = all.width](stage_key k, unsigned places) {
    return k[0] == count ? 0U : static_cast<unsigned>(std::uint64_t{k[1]} * places / width(k[0]));
  };
  return task_graph<stage_key, decltype(predecessors), decltype(compute), decltype(owner)>{
      sennit::graph::dense<2>(count + 1, widest), stage_key{count, 0}, predecessors, compute, owner};
}

}  // namespace gallery
