#include "gallery/links.hpp"
#include "gallery/splitmix.hpp"

#include <algorithm>
#include <numeric>

namespace gallery {

link_graph graph_of_links(std::size_t pages, const std::vector<page_link>& links) {
  std::vector<std::size_t> starts(pages + 1);
  for (const auto& [from, to] : links) ++starts[to + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> sources(links.size());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (const auto& [from, to] : links) sources[next[to]++] = from;

  link_graph made;
  made.pages = pages;
  made.outgoing.resize(pages);
  made.starts.reserve(pages + 1);
  made.starts.push_back(0);
  made.sources.reserve(links.size());
  for (std::size_t to = 0; to < pages; ++to) {
    const auto at = [&](std::size_t i) { return sources.begin() + static_cast<std::ptrdiff_t>(i); };
    std::sort(at(starts[to]), at(starts[to + 1]));
    for (std::size_t i = starts[to]; i < starts[to + 1]; ++i) {
      if (sources[i] == to || (i > starts[to] && sources[i] == sources[i - 1])) continue;
      made.sources.push_back(sources[i]);
      ++made.outgoing[sources[i]];
    }
    made.starts.push_back(made.sources.size());
  }
  return made;
}

link_graph rmat_graph(unsigned scale, std::uint64_t seed) {
  const std::size_t pages = std::size_t{1} << scale;
  const std::uint64_t first = splitmix64(seed);
  std::vector<page_link> links(16 * pages);
  for (std::size_t i = 0; i < links.size(); ++i) {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t state = splitmix64(first + i);
    for (unsigned bit = 0; bit < scale; ++bit) {
      state = splitmix64(state);
      const auto dice = static_cast<unsigned>(state % 100);
      from = from << 1 | (dice >= 76);                           // 57 + 19
      to = to << 1 | ((dice >= 57 && dice < 76) || dice >= 95);  // 19, or the last 5
    }
    // So that pages with many links are not all at the beginning.
    const auto elsewhere = [&](std::uint32_t page) {
      return static_cast<std::uint32_t>(page * 0x9e3779b1U) & static_cast<std::uint32_t>(pages - 1);
    };
    links[i] = {elsewhere(from), elsewhere(to)};
  }
  return graph_of_links(pages, links);
}

}  // namespace gallery
