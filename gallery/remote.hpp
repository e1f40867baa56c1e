// SPDX-License-Identifier: Apache-2.0
// How much of what a stencil over blocks reads lies on other NUMA nodes, counted rather than measured, so
// that a virtual machine will do. As in Maglalang, Krishnamoorthy and Agrawal, "Locality-aware dynamic task
// graph scheduling", 2016, V.B: for each block that is computed, itself and the two beside it, where the step
// before has left them. And noted, for cache_model.hpp: which node ran which block, and in which order.
#pragma once

#include "gallery/cache_model.hpp"
#include "gallery/heat.hpp"
#include "gallery/phases.hpp"

#include <sennit/distribution.hpp>
#include <sennit/refine.hpp>
#include <sennit/replay.hpp>
#include <sennit/worker.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace gallery {

// Loops over always the same blocks, in which who ran a block last has its data. The workers are on the nodes
// in equal contiguous parts, which is how the runtime places them.
template <class Loops>
class remote_counting {
 public:
  remote_counting(Loops run, std::size_t blocks, unsigned nodes)
      : run_(std::move(run)),
        workers_(sennit::worker_count()),
        nodes_(nodes),
        home_(blocks),
        next_(blocks),
        remote_(blocks),
        order_(blocks) {}

  template <class Body>
  void each(std::size_t n, std::size_t grain, const Body& body) {
    std::atomic<std::size_t> begun{0};
    run_.each(n, grain, [&](std::size_t i) {
      const unsigned node = sennit::worker_index() * nodes_ / workers_;
      if (counting_) {
        for (std::size_t b = i - (i > 0); b <= std::min(i + 1, n - 1); ++b) remote_[i] += home_[b] != node;
      }
      next_[i] = node;
      order_[begun.fetch_add(1, std::memory_order_relaxed)] = {static_cast<std::uint32_t>(i), node};
      body(i);
    });
    if (counting_) {
      accesses_ += 3 * n - 2;
      steps_.push_back(order_);
    }
    std::swap(home_, next_);
  }

  // Of the initialization or a redistribution, accesses are not counted.
  void count(bool yes) { counting_ = yes; }
  double share() const {
    const auto remote = std::accumulate(remote_.begin(), remote_.end(), std::uint64_t{0});
    return accesses_ == 0 ? 0 : static_cast<double>(remote) / static_cast<double>(accesses_);
  }
  // Those that were counted.
  const std::vector<step_run>& steps() const { return steps_; }
  // That ran a block of the latest loop.
  std::size_t nodes_at_work() const { return std::set(home_.begin(), home_.end()).size(); }

 private:
  Loops run_;
  unsigned workers_;
  unsigned nodes_;
  bool counting_ = false;
  std::vector<unsigned> home_;
  std::vector<unsigned> next_;
  std::vector<std::uint64_t> remote_;  // by the block that was computed
  std::uint64_t accesses_ = 0;
  step_run order_;
  std::vector<step_run> steps_;
};

struct remote_result {
  double share;
  std::size_t nodes_at_work;
  bool right;  // the plate is as after as many serial steps
  std::vector<step_run> steps;
};

enum class remote_way { plain, blocks, designed, ordered, refine, coarse };

namespace detail {

template <class Loops>
remote_result remote_share_of_heat(remote_way way, Loops loops_of_way, std::size_t width, std::size_t blocks,
                                   std::size_t rows, unsigned steps, unsigned nodes) {
  heat plate(1, width, blocks * rows, rows);
  remote_counting<Loops> run(loops_of_way, blocks, nodes);
  const auto fill = [width](std::size_t, std::size_t y, float* row) {
    std::fill_n(row, width, static_cast<float>(y % 64));
  };
  const auto initialize = [&] { plate.initialize(run, fill); };
  unsigned taken = 0;
  const auto step = [&] {
    plate.step(run);
    ++taken;
  };
  const auto follow = [&](const sennit::schedule& s, sennit::fidelity how) {
    run.count(true);
    for (unsigned i = 0; i < steps; ++i) sennit::replay(s, how, step);
  };
  switch (way) {
    case remote_way::plain:
      initialize();
      run.count(true);
      for (unsigned i = 0; i < steps; ++i) step();
      break;
    case remote_way::blocks: {
      const sennit::schedule s = sennit::block_distribution(blocks, sennit::worker_count());
      sennit::replay(s, sennit::strict_unordered, initialize);
      follow(s, sennit::strict_unordered);
      break;
    }
    case remote_way::designed: follow(sennit::design(initialize), sennit::strict_unordered); break;
    case remote_way::ordered: follow(sennit::record(initialize), sennit::strict_ordered); break;
    case remote_way::refine:
    case remote_way::coarse: {
      const bool coarse = way == remote_way::coarse;
      sennit::refinement plan(sennit::record(initialize),
                              coarse ? sennit::coarsening : sennit::refinement_options{});
      while (!plan.converged()) plan.run(step, [&] { plate.redistribute(run); });
      // The plan itself would begin again where the machine gets slower meanwhile, and the blocks move.
      follow(plan.current(), sennit::refinement_options{}.settled);
      break;
    }
  }
  const loops<sennit::serial> serially;
  heat expected(1, width, blocks * rows, rows);
  expected.initialize(serially, fill);
  while (taken-- > 0) expected.step(serially);
  return {run.share(), run.nodes_at_work(), std::ranges::equal(plate.cells(), expected.cells()), run.steps()};
}

}  // namespace detail

// Of `steps` steps of heat, from serial code, on the default runtime, whose workers are on so many nodes.
// What is refined is so before anything is counted.
inline remote_result remote_share_of_heat(remote_way way, std::size_t width, std::size_t blocks,
                                          std::size_t rows, unsigned steps, unsigned nodes) {
  if (way == remote_way::designed) {
    const halves<sennit::parallel> run(sennit::worker_count());
    return detail::remote_share_of_heat(way, run, width, blocks, rows, steps, nodes);
  }
  return detail::remote_share_of_heat(way, loops<sennit::parallel>(), width, blocks, rows, steps, nodes);
}

}  // namespace gallery
