// SPDX-License-Identifier: Apache-2.0
// Links that are drawn by R-MAT: the graph is that of their list, whoever draws them, and as skewed as it is said to be.
#include "gallery/block_links.hpp"
#include "gallery/links.hpp"
#include "gallery/phases.hpp"
#include "gallery/rmat.hpp"
#include "tests/gallery/support.hpp"

#include <sennit/runtime.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace gallery {
namespace {

using testing::HasSubstr;

std::vector<std::size_t> incoming(const link_graph& web) {
  std::vector<std::size_t> counts(web.pages);
  for (std::size_t p = 0; p < web.pages; ++p) counts[p] = web.starts[p + 1] - web.starts[p];
  return counts;
}

template <class Counts>
double share_of_first_hundredth(Counts counts) {
  std::sort(counts.begin(), counts.end(), std::greater<>());
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  return std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 100),
                         0.0) /
         all;
}

template <class Counts>
double share_of_first(const Counts& counts) {
  return static_cast<double>(*std::max_element(counts.begin(), counts.end())) /
         std::accumulate(counts.begin(), counts.end(), 0.0);
}

// Catches: a link that is counted and not put in its place, or put in another page's; links that stay in the order in which
// workers drew them; a repetition or a link to itself that stays.
TEST(Rmat, IsTheGraphOfItsLinksForAnyNumberOfWorkers) {
  for (const rmat_shape& shape : {web_shape(17), twitter_shape(11), web_shape(1)}) {
    std::vector<page_link> links;
    for (std::uint64_t i = 0; i < shape.drawn; ++i) links.push_back(rmat_link(shape, 5, i));
    const link_graph expected = graph_of_links(std::size_t{1} << shape.scale, links);
    for (const unsigned count : {1U, 2U, 5U}) {
      sennit::runtime workers({.workers = count});
      const link_graph web = rmat_graph(shape, 5, workers);
      EXPECT_EQ(web.pages, expected.pages);
      EXPECT_EQ(web.starts, expected.starts) << count;
      EXPECT_EQ(web.sources, expected.sources) << count;
      EXPECT_EQ(web.outgoing, expected.outgoing) << count;
    }
  }
}

// Catches: a seed that makes no difference, or one that only moves the links of another.
TEST(Rmat, DependsOnTheSeed) {
  const rmat_shape shape = web_shape(10);
  std::set<page_link> first;
  std::size_t again = 0;
  for (std::uint64_t i = 0; i < shape.drawn; ++i) first.insert(rmat_link(shape, 1, i));
  for (std::uint64_t i = 0; i < shape.drawn; ++i) again += first.count(rmat_link(shape, 2, i));
  EXPECT_LT(again, shape.drawn / 2);
}

// Catches: probabilities of another graph. Of a web's 2^18 pages the first hundredth has half of the links.
TEST(Rmat, OfTheWebHasSixteenLinksAPage) {
  sennit::runtime workers;
  const link_graph web = rmat_graph(web_shape(18), 1, workers);
  EXPECT_NEAR(static_cast<double>(web.sources.size()) / static_cast<double>(web.pages), 14.7, 0.5);
  EXPECT_NEAR(share_of_first(web.outgoing), 0.0035, 0.001);
  EXPECT_NEAR(share_of_first(incoming(web)), 0.0035, 0.001);
  EXPECT_NEAR(share_of_first_hundredth(web.outgoing), 0.45, 0.05);
}

// The skew of twitter-2010 (https://law.di.unimi.it/webdata/twitter-2010): 1,468,365,182 links of 41,652,230 pages, at most
// 2,997,469 from a page, at most 770,155 to one.
// Catches: directions that are exchanged; repetitions that take from the first page's links and from nobody else's; a scale
// that changes the shares.
TEST(Rmat, OfTwitterHasItsSkew) {
  sennit::runtime workers;
  for (const unsigned scale : {14U, 17U, 19U}) {
    const link_graph web = rmat_graph(twitter_shape(scale), 1, workers);
    const double links = static_cast<double>(web.sources.size());
    EXPECT_NEAR(links / static_cast<double>(web.pages), 35.25, 0.3) << scale;
    EXPECT_NEAR(share_of_first(web.outgoing) / (2997469. / 1468365182), 1, 0.1) << scale;
    // In the smallest graph this is 303 links, so chance shows.
    EXPECT_NEAR(share_of_first(incoming(web)) / (770155. / 1468365182), 1, scale < 17 ? 0.25 : 0.1) << scale;
    if (scale == 19) {
      EXPECT_NEAR(share_of_first_hundredth(web.outgoing), 0.37, 0.05);
      EXPECT_NEAR(share_of_first_hundredth(incoming(web)), 0.21, 0.05);
    }
  }
}

// Catches: a block that reads what another overwrites at the same time, one way round or the other; blocks that are waited for
// in vain; a list for another number of blocks than there are.
TEST(BlockLinks, AreThoseInEitherDirection) {
  sennit::runtime workers;
  for (const std::size_t size : {1U, 7U, 64U, 5000U}) {
    const link_graph web = rmat_graph(web_shape(9), 3, workers);
    const partition parts{web.pages, size};
    std::set<std::pair<std::size_t, std::size_t>> linked;
    for (std::size_t to = 0; to < web.pages; ++to) {
      linked.insert({to / size, to / size});
      for (std::size_t i = web.starts[to]; i < web.starts[to + 1]; ++i) {
        linked.insert({to / size, web.sources[i] / size});
        linked.insert({web.sources[i] / size, to / size});
      }
    }
    const block_links needs(web, parts);
    ASSERT_EQ(needs.starts.size(), parts.count() + 2);
    std::vector<std::pair<std::size_t, std::size_t>> listed;
    for (std::size_t b = 0; b < parts.count(); ++b) {
      for (std::size_t i = needs.starts[b]; i < needs.starts[b + 1]; ++i)
        listed.emplace_back(b, needs.blocks[i]);
    }
    EXPECT_TRUE(std::ranges::equal(listed, linked)) << size;
    EXPECT_EQ(needs.starts[parts.count() + 1] - needs.starts[parts.count()], parts.count());
  }
}

// Catches: memory for all pairs of blocks, of which these would need 512 GiB.
TEST(BlockLinks, NeedNoMemoryForPairsThatAreNotLinked) {
  constexpr std::uint32_t pages = 1 << 21;
  std::vector<page_link> ring;
  for (std::uint32_t p = 0; p < pages; ++p) ring.emplace_back(p, (p + 1) % pages);
  const link_graph web = graph_of_links(pages, ring);
  EXPECT_EQ(block_links(web, {pages, 1}).blocks.size(), std::size_t{4} * pages);
}

// Catches: a few pages that are to have more links than there are pairs of them, for which links are drawn without end.
TEST(Rmat, OfTwitterHasAShapeAtEachScale) {
  for (unsigned scale = 1; scale <= 26; ++scale) {
    const rmat_shape shape = twitter_shape(scale);
    EXPECT_LE(shape.drawn, std::uint64_t{150} << scale) << scale;
    EXPECT_GT(shape.drawn, std::uint64_t{30} << scale) << scale;
    EXPECT_GT(std::min({shape.both_first, shape.from_first, shape.to_first}), 0) << scale;
    EXPECT_LT(shape.both_first + shape.from_first + shape.to_first, 1) << scale;
  }
}

// Catches: a graph beyond the memory that ends the program, or the whole machine's patience.
TEST(Rmat, ThatDoesNotFitIsRefused) {
  sennit::runtime workers({.workers = 1});
  const rmat_shape shape{.scale = 20, .drawn = std::uint64_t{1} << 50};
  EXPECT_THAT(input_error_of([&] { rmat_graph(shape, 1, workers); }), HasSubstr("choose a smaller scale"));
}

}  // namespace
}  // namespace gallery
