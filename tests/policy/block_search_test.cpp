// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/splice/block_search.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

namespace {

using sennit::detail::block_search;

// The size that is found if an index takes so long in blocks of a size.
std::int64_t found(block_search search, const std::function<double(std::int64_t)>& ns) {
  for (int i = 0; i < 100 && !search.over(); ++i) search.took(search.size(), ns(search.size()));
  EXPECT_TRUE(search.over());
  return search.size();
}

// Time for an index if a block costs so many nanoseconds, and one that is larger than the cache twice the time.
auto costs(double block_ns, std::int64_t cache) {
  return [=](std::int64_t size) { return block_ns / static_cast<double>(size) + (size > cache ? 2.0 : 1.0); };
}

// Catches a search that stays where it begins, or that passes the best size.
TEST(BlockSearch, DoublesWhileThatIsFaster) {
  EXPECT_EQ(found({1000, 10, 1'000'000}, costs(500, 10'000)), 8000);
  EXPECT_EQ(found({1000, 10, 4000}, costs(500, 10'000)), 4000);
}

// Catches a search that ends at the first size that is slower: between two levels of the cache there may be one.
TEST(BlockSearch, PassesOneSlowerSize) {
  const auto ns = [](std::int64_t size) { return size == 2000 ? 2.0 : 1000.0 / static_cast<double>(size); };
  EXPECT_EQ(found({1000, 10, 8000}, ns), 8000);
}

// Catches a search that goes one way only.
TEST(BlockSearch, HalvesIfDoublingIsSlower) {
  EXPECT_EQ(found({1000, 10, 1'000'000}, costs(1, 600)), 500);
  const auto size = [](std::int64_t n) { return static_cast<double>(n); };
  EXPECT_EQ(found({1000, 10, 1'000'000}, size), 15);
  EXPECT_EQ(found({1000, 400, 1'000'000}, size), 500);
}

// Catches a search that takes noise for a gain, and goes on and on.
TEST(BlockSearch, StaysWhereNothingIsGained) {
  EXPECT_EQ(found({1000, 10, 1'000'000}, [](std::int64_t) { return 1.0; }), 1000);
  EXPECT_EQ(found({1, 1, 1}, [](std::int64_t) { return 1.0; }), 1);
}

// Catches a disturbed sample that counts.
TEST(BlockSearch, ALateSampleDoesNoHarm) {
  int sample = 0;
  const auto ns = costs(500, 10'000);
  EXPECT_EQ(
      found({1000, 10, 1'000'000}, [&](std::int64_t size) { return ns(size) * (sample++ % 2 == 0 ? 5 : 1); }),
      8000);
}

// Catches a time for blocks that were cut before the search went on.
TEST(BlockSearch, OtherSizesSayNothing) {
  block_search search(1000, 10, 1'000'000);
  for (int i = 0; i < 10; ++i) search.took(500, 0.1);
  EXPECT_FALSE(search.over());
  EXPECT_EQ(search.tried(), 0U);
  EXPECT_EQ(search.size(), 1000);
}

}  // namespace
