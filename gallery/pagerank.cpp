// pagerank: how often who follows links at random comes by each page (Brin and Page, 1998), by the power method, as a graph
// of tasks: a block of pages needs, of the iteration before, the blocks that link to it.
#include "gallery/graphs.hpp"
#include "gallery/input_error.hpp"
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/links.hpp"
#include "gallery/phases.hpp"

#include <sennit/numa_array.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

namespace gallery {
namespace {

using ranks = std::vector<double>;

// Of those who follow a link; the others go to any page.
constexpr double damping = 0.85;

// What a page has beyond that flows away where no links lead on: in the end all ranks are scaled to add up to 1, which
// comes to the same as to spread it evenly.
class flow {
 public:
  flow(const link_graph& web, std::size_t block)
      : web_(web), parts_{web.pages, block}, shares_{array(web.pages), array(web.pages)}, ranks_(web.pages) {}

  std::size_t blocks() const { return parts_.count(); }

  void initialize(std::size_t block) {
    for (std::size_t p = parts_.first(block); p < parts_.last(block); ++p) {
      shares_[0][p] = share(p, 1 / static_cast<double>(web_.pages));
      shares_[1][p] = 0;
    }
  }
  // Iterations count from 1.
  void iterate(std::size_t iteration, std::size_t block) {
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

// Which blocks each block needs: those that link to it, and those that it links to, as they read what it overwrites.
struct block_links {
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> blocks;

  block_links() = default;
  block_links(const link_graph& web, const partition& parts) {
    const std::size_t count = parts.count();
    std::vector<bool> linked(count * count);
    for (std::size_t b = 0; b < count; ++b) {
      linked[b * count + b] = true;
      for (std::size_t i = web.starts[parts.first(b)]; i < web.starts[parts.last(b)]; ++i) {
        const std::size_t other = web.sources[i] / parts.size;
        linked[b * count + other] = linked[other * count + b] = true;
      }
    }
    starts.push_back(0);
    for (std::size_t b = 0; b < count; ++b) {
      for (std::size_t other = 0; other < count; ++other) {
        if (linked[b * count + other]) blocks.push_back(static_cast<std::uint32_t>(other));
      }
      starts.push_back(blocks.size());
    }
    // The sink needs all.
    for (std::size_t b = 0; b < count; ++b) blocks.push_back(static_cast<std::uint32_t>(b));
    starts.push_back(blocks.size());
  }
};

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
        {"scale", "rmat has 2 to that power pages", &scale, 1, 24},
        {"iterations", "of the power method", &iterations, 1, 1e4},
        {"block", "pages in a node of the graph", &block, 1, 1 << 24},
        {"seed", "of rmat", &seed, 0, 1e9},
        {.name = "links",
         .meaning =
             "made by R-MAT, or between the packages that this machine's apt knows; no matter with a file",
         .value = &links,
         .words = {"rmat", "debian"}},
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
      web = rmat_graph(static_cast<unsigned>(scale), static_cast<std::uint64_t>(seed));
    }
    const partition parts{web.pages, static_cast<std::size_t>(block)};
    constexpr std::size_t most_blocks = 1 << 14;
    if (parts.count() > most_blocks) {
      throw input_error(fmt::format("{} pages are {} blocks of {}; at most {} blocks are possible", web.pages,
                                    parts.count(), block, most_blocks));
    }
    needs = block_links(web, parts);
  }

  template <class P>
  ranks run() const {
    flow pages(web, static_cast<std::size_t>(block));
    const auto last = static_cast<std::uint32_t>(iterations);
    if (variant == "graph") {
      run_graph<P>(graph_of(pages, last), colors);
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

  auto graph_of(flow& pages, std::uint32_t last) const {
    using key =
        std::array<std::uint32_t, 2>;  // the iteration and the block; the sink comes one after the last
    const auto count = static_cast<std::uint32_t>(pages.blocks());
    const auto predecessors = [this, last, count](key k) {
      const std::size_t row = k[0] > last ? count : k[1];
      const std::size_t from = k[0] == 0 ? 0 : needs.starts[row];
      const std::size_t to = k[0] == 0 ? 0 : needs.starts[row + 1];
      return std::views::iota(from, to) | std::views::transform([this, before = k[0] - 1](std::size_t i) {
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
};

}  // namespace

std::unique_ptr<kernel> make_pagerank() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
