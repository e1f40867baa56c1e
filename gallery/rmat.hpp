// SPDX-License-Identifier: Apache-2.0
// Graphs of links by R-MAT (Chakrabarti, Zhan and Faloutsos, 2004): each link is drawn by halving the pages again and again,
// and choosing one of the four combinations of halves for the page that it comes from and the page that it goes to.
#pragma once

#include "gallery/links.hpp"

#include <cstddef>
#include <cstdint>

namespace sennit {
class runtime;
}

namespace gallery {

struct rmat_shape {
  unsigned scale = 16;  // 2^scale pages
  std::uint64_t drawn =
      0;  // links; those that are drawn twice count once, those of a page to itself not at all
  double both_first = 0.57;  // how likely both pages are in the first half
  double from_first = 0.19;  // how likely only the page is that the link comes from
  double to_first = 0.19;    // how likely only the page is that the link goes to
};

// Sixteen links a page with the probabilities of Graph500. With scale 24 the graph has about as many links as uk-2002, a crawl
// of the web with 298 million of them.
rmat_shape web_shape(unsigned scale);

// As skewed as twitter-2010 (41,652,230 accounts; https://law.di.unimi.it/webdata/twitter-2010): 35.253 links a page, of which
// the page with the most outgoing links has 2,997,469 of 1,468,365,182, and the page with the most incoming links 770,155.
// Smaller graphs have the same shares.
rmat_shape twitter_shape(unsigned scale);

// The link that is drawn at this position. It depends on nothing else, so that links can be drawn in any order, and again.
page_link rmat_link(const rmat_shape& shape, std::uint64_t seed, std::uint64_t position);

// What graph_of_links() makes of all links that are drawn, without a list of them: they are drawn twice, by all workers of the
// runtime, first to be counted and then to be put in their places. The result is the same for any number of workers. Throws
// input_error if the memory that is free now is too small.
link_graph rmat_graph(const rmat_shape& shape, std::uint64_t seed, sennit::runtime& workers);

// The memory that rmat_graph() needs at the most, in bytes.
std::uint64_t rmat_bytes(const rmat_shape& shape);

}  // namespace gallery
