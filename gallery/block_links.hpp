// SPDX-License-Identifier: Apache-2.0
// Which blocks of pages are linked to which, for pagerank as a graph of tasks.
#pragma once

#include "gallery/links.hpp"
#include "gallery/phases.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gallery {

// What each block needs: itself, the blocks that link to it, and those that it links to, as they read what it overwrites.
struct block_links {
  static constexpr std::size_t most = std::size_t{1} << 27;

  std::vector<std::size_t> starts;  // where the blocks that each one needs start, and where the last ones end
  std::vector<std::uint32_t>
      blocks;  // ascending for each block; those of the sink, which needs all, come last

  block_links() = default;
  // Needs memory for the links between blocks, not for all pairs of blocks. Throws input_error where there are more than `most`
  // of them.
  block_links(const link_graph& web, const partition& parts);
};

}  // namespace gallery
