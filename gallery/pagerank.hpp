// SPDX-License-Identifier: Apache-2.0
// pagerank: how often who follows links at random comes by each page (Brin and Page, 1998), by the power method, as a graph
// of tasks: a block of pages needs, of the iteration before, the blocks that link to it.
#pragma once

#include "gallery/block_links.hpp"
#include "gallery/graphs.hpp"
#include "gallery/links.hpp"
#include "gallery/phases.hpp"

#include <sennit/numa_array.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <vector>

namespace gallery {

using ranks = std::vector<double>;

// Of those who follow a link; the others go to any page.
inline constexpr double damping = 0.85;

// What a page has beyond that flows away where no links lead on: in the end all ranks are scaled to add up to 1, which
// comes to the same as to spread it evenly.
class page_flow {
 public:
  page_flow(const link_graph& web, std::size_t block)
      : web_(web), parts_{web.pages, block}, shares_{array(web.pages), array(web.pages)}, ranks_(web.pages) {}

  std::size_t blocks() const { return parts_.count(); }

  void initialize(std::size_t block) {
    for (std::size_t p = parts_.first(block); p < parts_.last(block); ++p) {
      shares_[0][p] = share(p, 1 / static_cast<double>(web_.pages));
      shares_[1][p] = 0;
    }
  }
  // Iterations count from 1. One function, so that it is compiled alike whatever calls it.
  [[gnu::noinline]] void iterate(std::size_t iteration, std::size_t block) {
    const array& from = shares_[(iteration - 1) % 2];
    array& to = shares_[iteration % 2];
    const double rest = (1 - damping) / static_cast<double>(web_.pages);
    for (std::size_t p = parts_.first(block); p < parts_.last(block); ++p) {
      double sum = 0;
      for (std::size_t i = web_.starts[p]; i < web_.starts[p + 1]; ++i) sum += from[web_.sources[i]];
      ranks_[p] = rest + damping * sum;
      to[p] = share(p, ranks_[p]);
    }
  }

  ranks scaled() const {
    ranks all(ranks_.data(), ranks_.data() + ranks_.size());
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    for (double& rank : all) rank /= sum;
    return all;
  }

 private:
  using array = sennit::numa_array<double>;

  // What each of its links passes on.
  double share(std::size_t page, double rank) const {
    return web_.outgoing[page] == 0 ? 0 : rank / static_cast<double>(web_.outgoing[page]);
  }

  const link_graph& web_;
  partition parts_;
  std::array<array, 2> shares_;
  array ranks_;
};

// The blocks are dealt to places in equal contiguous parts.
inline auto graph_of_pages(page_flow& pages, const block_links& needs, std::uint32_t last) {
  using key = std::array<std::uint32_t, 2>;  // the iteration and the block; the sink comes one after the last
  const auto count = static_cast<std::uint32_t>(pages.blocks());
  const auto predecessors = [&needs, last, count](key k) {
    const std::size_t row = k[0] > last ? count : k[1];
    const std::size_t from = k[0] == 0 ? 0 : needs.starts[row];
    const std::size_t to = k[0] == 0 ? 0 : needs.starts[row + 1];
    return std::views::iota(from, to) | std::views::transform([&needs, before = k[0] - 1](std::size_t i) {
             return key{before, needs.blocks[i]};
           });
  };
  const auto compute = [&pages, last](key k) {
    if (k[0] > last) return;
    k[0] == 0 ? pages.initialize(k[1]) : pages.iterate(k[0], k[1]);
  };
  const auto owner = [count](key k, unsigned places) {
    return static_cast<unsigned>(std::uint64_t{k[1]} * places / count);
  };
  return task_graph<key, decltype(predecessors), decltype(compute), decltype(owner)>{
      sennit::graph::dense<2>(last + 2, count), key{last + 1, 0}, predecessors, compute, owner};
}

}  // namespace gallery
