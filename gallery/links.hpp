// SPDX-License-Identifier: Apache-2.0
// Pages and the links between them, for pagerank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gallery {

struct link_graph {
  std::size_t pages = 0;
  std::vector<std::size_t>
      starts;  // where the links to each page start in `sources`, and where the last ones end
  std::vector<std::uint32_t> sources;   // from where they come, ascending for each page
  std::vector<std::uint32_t> outgoing;  // how many links each page has
  std::vector<std::string> names;       // of the pages; empty if they have none
};

// A link from the first to the second page.
using page_link = std::pair<std::uint32_t, std::uint32_t>;

// Links that are there twice count once, those of a page to itself not at all.
link_graph graph_of_links(std::size_t pages, const std::vector<page_link>& links);

// A MatrixMarket file, in which a cell is a link from its row to its column, or a file with two numbers a line, from and to,
// and comments after '#' or '%'. Throws input_error for anything else, naming the line.
link_graph read_links(const std::filesystem::path& path);

// Debian's packages, as the lists in the folder have them, which apt reads: a package links to each one that it depends on or
// pre-depends on, the first of alternatives; to who provides it, if it is no real one. Throws input_error if there are no lists.
link_graph read_debian_packages(const std::filesystem::path& lists = "/var/lib/apt/lists");

}  // namespace gallery
