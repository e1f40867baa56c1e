// SPDX-License-Identifier: Apache-2.0
#include "gallery/pagerank.hpp"

#include "gallery/block_links.hpp"
#include "gallery/graphs.hpp"
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/links.hpp"
#include "gallery/rmat.hpp"

#include <sennit/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace gallery {
namespace {

// By way of the pages' own links, one after the other.
ranks reference(const link_graph& web, std::int64_t iterations) {
  const auto pages = static_cast<double>(web.pages);
  ranks now(web.pages, 1 / pages);
  for (std::int64_t i = 0; i < iterations; ++i) {
    ranks next(web.pages, (1 - damping) / pages);
    for (std::size_t p = 0; p < web.pages; ++p) {
      for (std::size_t l = web.starts[p]; l < web.starts[p + 1]; ++l) {
        const std::uint32_t from = web.sources[l];
        next[p] += damping * (now[from] / static_cast<double>(web.outgoing[from]));
      }
    }
    now.swap(next);
  }
  double sum = 0;
  for (const double rank : now) sum += rank;
  for (double& rank : now) rank /= sum;
  return now;
}

struct program {
  static constexpr description about{.name = "pagerank",
                                     .summary = "how important pages are by their links, a graph of tasks",
                                     .reads = content::graph};

  std::int64_t scale = 16;
  std::int64_t iterations = 10;
  std::int64_t block = 4096;
  std::int64_t seed = 1;
  std::string links = "rmat";
  std::string variant = "graph";
  color_choice colors;
  link_graph web;
  block_links needs;

  std::vector<parameter> parameters() {
    return {
        {"scale", "rmat and twitter have 2 to that power pages", &scale, 1, 26},
        {"iterations", "of the power method", &iterations, 1, 1e4},
        {"block", "pages in a node of the graph", &block, 1, 1 << 24},
        {"seed", "of rmat and twitter", &seed, 0, 1e9},
        {.name = "links",
         .meaning =
             "made by R-MAT, as on the web or with the skew of Twitter's, or between the packages that this "
             "machine's apt knows; no matter with a file",
         .value = &links,
         .words = {"rmat", "twitter", "debian"}},
        {.name = "variant",
         .meaning = "one graph of tasks for all iterations, or a loop for each",
         .value = &variant,
         .words = {"graph", "loops"}},
        colors.which()};
  }
  void choose_demo() { scale = 18; }
  void prepare(const std::filesystem::path& path) {
    if (!path.empty()) {
      web = read_links(path);
    } else if (links == "debian") {
      web = read_debian_packages();
    } else {
      const auto shape = links == "twitter" ? twitter_shape : web_shape;
      sennit::runtime workers;
      web = rmat_graph(shape(static_cast<unsigned>(scale)), static_cast<std::uint64_t>(seed), workers);
    }
    needs = block_links(web, {web.pages, static_cast<std::size_t>(block)});
  }

  template <class P>
  ranks run() const {
    page_flow pages(web, static_cast<std::size_t>(block));
    const auto last = static_cast<std::uint32_t>(iterations);
    if (variant == "graph") {
      run_graph<P>(graph_of_pages(pages, needs, last), colors);
    } else {
      P::parallel_for(std::size_t{0}, pages.blocks(), [&](std::size_t b) { pages.initialize(b); });
      for (std::size_t i = 1; i <= last; ++i)
        P::parallel_for(std::size_t{0}, pages.blocks(), [&](std::size_t b) { pages.iterate(i, b); });
    }
    return pages.scaled();
  }

  std::string complaint(const ranks& result) const {
    const ranks expected = reference(web, iterations);
    for (std::size_t p = 0; p < expected.size(); ++p) {
      if (!(std::abs(result[p] - expected[p]) <= 1e-9 * expected[p]))
        return fmt::format("the rank of {} is {}, not {}", name_of(p), expected[p], result[p]);
    }
    return {};
  }

  std::string describe(const ranks& result) const {
    std::vector<std::size_t> order(result.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t shown = std::min<std::size_t>(5, order.size());
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
        [&](std::size_t a, std::size_t b) { return result[a] != result[b] ? result[a] > result[b] : a < b; });
    std::string text = fmt::format("{} pages, {} links; first:", web.pages, web.sources.size());
    for (std::size_t i = 0; i < shown; ++i)
      text += fmt::format(" {} ({:.3g})", name_of(order[i]), result[order[i]]);
    return text;
  }

 private:
  std::string name_of(std::size_t page) const {
    return web.names.empty() ? std::to_string(page) : web.names[page];
  }
};

}  // namespace

std::unique_ptr<kernel> make_pagerank() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
