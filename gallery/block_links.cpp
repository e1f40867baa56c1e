// SPDX-License-Identifier: Apache-2.0
#include "gallery/block_links.hpp"

#include "gallery/input_error.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

namespace gallery {
namespace {

// For each block, those of the other end of its links, ascending.
struct rows {
  std::vector<std::size_t> starts{0};
  std::vector<std::uint32_t> blocks;

  auto first(std::size_t row) const { return blocks.begin() + static_cast<std::ptrdiff_t>(starts[row]); }
  auto last(std::size_t row) const { return first(row + 1); }
};

void check(std::size_t links, const link_graph& web, const partition& parts) {
  if (links <= block_links::most) return;
  throw input_error(std::to_string(web.pages) + " pages are " + std::to_string(parts.count()) +
                    " blocks of " + std::to_string(parts.size) + " with more than " +
                    std::to_string(block_links::most) + " links between blocks: choose larger blocks");
}

rows sources_of(const link_graph& web, const partition& parts) {
  const std::size_t count = parts.count();
  const auto size = static_cast<std::uint32_t>(parts.size);
  rows made;
  std::vector<std::size_t> seen_by(count, count);
  for (std::size_t block = 0; block < count; ++block) {
    const auto see = [&](std::size_t other) {
      if (seen_by[other] == block) return;
      seen_by[other] = block;
      made.blocks.push_back(static_cast<std::uint32_t>(other));
    };
    see(block);
    const std::size_t last = web.starts[parts.last(block)];
    for (std::size_t i = web.starts[parts.first(block)]; i < last; ++i) see(web.sources[i] / size);
    std::sort(made.blocks.begin() + static_cast<std::ptrdiff_t>(made.starts.back()), made.blocks.end());
    made.starts.push_back(made.blocks.size());
    check(made.blocks.size(), web, parts);
  }
  return made;
}

rows reversed(const rows& given) {
  const std::size_t count = given.starts.size() - 1;
  rows made;
  made.starts.assign(count + 1, 0);
  for (const std::uint32_t other : given.blocks) ++made.starts[other + 1];
  std::partial_sum(made.starts.begin(), made.starts.end(), made.starts.begin());
  made.blocks.resize(given.blocks.size());
  std::vector<std::size_t> next(made.starts.begin(), made.starts.end() - 1);
  for (std::size_t row = 0; row < count; ++row) {
    for (auto other = given.first(row); other != given.last(row); ++other)
      made.blocks[next[*other]++] = static_cast<std::uint32_t>(row);
  }
  return made;
}

}  // namespace

block_links::block_links(const link_graph& web, const partition& parts) {
  const std::size_t count = parts.count();
  const rows sources = sources_of(web, parts);
  const rows targets = reversed(sources);
  starts.reserve(count + 2);
  starts.push_back(0);
  blocks.reserve(sources.blocks.size() + count);
  for (std::size_t b = 0; b < count; ++b) {
    std::set_union(sources.first(b), sources.last(b), targets.first(b), targets.last(b),
                   std::back_inserter(blocks));
    starts.push_back(blocks.size());
    check(blocks.size(), web, parts);
  }
  blocks.resize(blocks.size() + count);
  std::iota(blocks.end() - static_cast<std::ptrdiff_t>(count), blocks.end(), 0U);
  starts.push_back(blocks.size());
}

}  // namespace gallery
