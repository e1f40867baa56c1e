// SPDX-License-Identifier: Apache-2.0
// pagerank: how often who follows links at random comes by each page. Each rank has some pages, and the links to them; a step
// is a loop over these pages, after which all ranks get all pages' shares.
#include "gallery/pagerank.hpp"

#include "gallery/rmat.hpp"
#include "integrations/mpi/programs/program.hpp"

#include <sennit/mpi/collectives.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/parallel_reduce.hpp>
#include <sennit/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace {

class pagerank : public programs::program {
  void add_arguments(CLI::App& to) override {
    to.add_option("--scale", scale_, "2^scale pages")->check(CLI::Range(1, 24))->capture_default_str();
    to.add_option("--steps", steps_, "number of steps at most")
        ->check(CLI::Range(0, 1 << 20))
        ->capture_default_str();
    to.add_option("--change", least_change_, "end when no page's rank changes by more than that")
        ->capture_default_str();
  }

  // All ranks draw the same links, as their drawing depends on nothing else.
  void prepare() override {
    sennit::runtime workers(1);
    web_ = gallery::rmat_graph(gallery::web_shape(scale_), 1, workers);
    const auto ranks = static_cast<std::size_t>(programs::ranks());
    each_ = (web_.pages + ranks - 1) / ranks;
    first_ = std::min(web_.pages, each_ * static_cast<std::size_t>(programs::rank()));
    last_ = std::min(web_.pages, first_ + each_);
    ranks_.assign(web_.pages, 1 / static_cast<double>(web_.pages));
    shares_.assign(each_ * ranks, 0);
    for (std::size_t p = 0; p < web_.pages; ++p) shares_[p] = share(p);
  }

  double share(std::size_t page) const {
    return web_.outgoing[page] == 0 ? 0 : ranks_[page] / static_cast<double>(web_.outgoing[page]);
  }

  // Returns by how much the rank changed.
  double improve(std::size_t page) {
    double sum = 0;
    for (std::size_t i = web_.starts[page]; i < web_.starts[page + 1]; ++i) sum += shares_[web_.sources[i]];
    const double before = ranks_[page];
    ranks_[page] = (1 - gallery::damping) / static_cast<double>(web_.pages) + gallery::damping * sum;
    return std::abs(ranks_[page] - before);
  }

  void compute() override {
    std::vector<double> mine(each_);
    for (int step = 0; step < steps_; ++step) {
      const double change = sennit::parallel_reduce(
          first_, last_, 0.0, [this](std::size_t page) { return improve(page); },
          [](double a, double b) { return std::max(a, b); });
      sennit::parallel_for(first_, last_, [&](std::size_t page) { mine[page - first_] = share(page); });
      sennit::mpi::allgather(mine, shares_);
      if (sennit::mpi::allreduce(change, MPI_MAX) <= least_change_) break;
    }
  }

  // Some step later, the ranks are still what links pass on, and what flows away where no links lead on is at most all of it.
  programs::outcome check() override {
    programs::outcome made;
    made.sum = 0;
    double sum = 0;
    for (std::size_t page = first_; page < last_; ++page) {
      made.sum += programs::digest(page, std::span<const double>(&ranks_[page], 1));
      sum += ranks_[page];
    }
    sum = sennit::mpi::allreduce(sum, MPI_SUM);
    if (!(sum > 1 - gallery::damping - 1e-9 && sum < 1 + 1e-9))
      made.complaint = fmt::format("the ranks add up to {}", sum);
    double change = 0;
    for (std::size_t page = first_; page < last_; ++page) change = std::max(change, improve(page));
    // Each step brings the ranks nearer to their end by the damping at least.
    if (change > std::max(least_change_, std::pow(gallery::damping, steps_)) * 1.01)
      made.complaint = fmt::format("a page's rank still changes by {}", change);
    return made;
  }

  unsigned scale_ = 16;
  int steps_ = 50;
  double least_change_ = 1e-9;
  gallery::link_graph web_;
  std::size_t each_ = 0;  // pages of a rank; the last ranks may have fewer
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::vector<double> ranks_;   // right for this rank's pages
  std::vector<double> shares_;  // what a link of each page passes on
};

}  // namespace

int main(int argc, char** argv) {
  pagerank p;
  return programs::run(p, "pagerank", "How often who follows links comes by each page", argc, argv);
}
