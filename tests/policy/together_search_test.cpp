// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/splice/together_search.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace {

using sennit::detail::together_search;
using sennit::detail::together_site;

// The numbers that are tried if a tree takes so long in a group of a number, and then the one that is found.
std::vector<std::uint32_t> path(together_search search, const std::function<double(std::uint32_t)>& ns) {
  std::vector<std::uint32_t> tried;
  for (int i = 0; i < 100 && !search.over(); ++i) {
    if (tried.empty() || tried.back() != search.number()) tried.push_back(search.number());
    search.took(search.number(), ns(search.number()));
  }
  EXPECT_TRUE(search.over());
  EXPECT_EQ(search.number(), search.best());
  tried.push_back(search.best());
  return tried;
}
using numbers = std::vector<std::uint32_t>;

// Catches a search that goes on after a number that is slower, or that goes back to one that it knows.
TEST(TogetherSearch, TriesTwiceAndHalfOfTheNumber) {
  EXPECT_EQ(path({32, 1000}, [](std::uint32_t) { return 1.0; }), (numbers{32, 64, 16, 32}));
  EXPECT_EQ(path({32, 1000}, [](std::uint32_t n) { return n <= 128 ? 1000.0 / n : 1000.0; }),
            (numbers{32, 64, 128, 256, 128}));
  EXPECT_EQ(path({32, 1000}, [](std::uint32_t n) { return n >= 8 ? 1.0 * n : 100.0; }),
            (numbers{32, 64, 16, 8, 4, 8}));
}

// Catches a group of more trees than there are, and one of a single tree, in which nothing is interleaved.
TEST(TogetherSearch, StaysBetweenTwoTreesAndAll) {
  EXPECT_EQ(path({32, 50}, [](std::uint32_t n) { return 1.0 / n; }), (numbers{32, 16, 32}));
  EXPECT_EQ(path({4, 4}, [](std::uint32_t n) { return 1.0 * n; }), (numbers{4, 2, 2}));
  EXPECT_EQ(path({1, 1}, [](std::uint32_t) { return 1.0; }), (numbers{1, 1}));
}

// Catches a number that is taken for a gain of one percent, which the next disturbance undoes.
TEST(TogetherSearch, StaysWhereAGainIsSmall) {
  EXPECT_EQ(path({32, 1000}, [](std::uint32_t n) { return n == 64 ? 0.99 : 1.0; }),
            (numbers{32, 64, 16, 32}));
}

// Catches a refusal that takes the first number away, or that ends the search in the other direction.
TEST(TogetherSearch, ANumberMayBeRefused) {
  together_search search(32, 1000);
  EXPECT_FALSE(search.refuse(32));
  for (int i = 0; i < 2; ++i) search.took(32, 2);
  EXPECT_FALSE(search.refuse(32));
  EXPECT_TRUE(search.refuse(64));
  EXPECT_EQ(search.number(), 16U);
  for (int i = 0; i < 2; ++i) search.took(16, 1);
  EXPECT_EQ(search.best(), 16U);
  EXPECT_TRUE(search.refuse(8));
  EXPECT_TRUE(search.over());
  EXPECT_FALSE(search.refuse(16));
}

// Catches a site that begins anew with each splice, that goes on with other trees, or that counts a smaller last group.
TEST(TogetherSearch, ASiteRemembersWhatIsBest) {
  together_site site;
  site.begin(32, 100, 5000);
  EXPECT_EQ(site.next(100), 32U);
  EXPECT_EQ(site.next(7), 7U);
  site.took(7, 0.1);
  EXPECT_EQ(site.tried(), 0U);
  for (int i = 0; i < 2; ++i) site.took(32, 2);
  EXPECT_EQ(site.next(100), 64U);
  EXPECT_EQ(site.next(63), 32U) << "too few are left for what is tried";
  site.begin(32, 100, 5000);
  EXPECT_EQ(site.next(100), 64U);
  for (int i = 0; i < 2; ++i) site.took(64, 1);
  EXPECT_TRUE(site.over());
  EXPECT_EQ(site.next(100), 64U);
  EXPECT_EQ(site.tried(), 2U);
  site.begin(32, 100, 6000);
  EXPECT_FALSE(site.over());
  EXPECT_EQ(site.next(100), 32U);
}

}  // namespace
