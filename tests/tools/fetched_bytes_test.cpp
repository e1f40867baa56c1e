// SPDX-License-Identifier: Apache-2.0
// The simulated cache of `sennit view splice`, and the bytes that it fetches.
#include "tools/sennit/fetched_bytes.hpp"
#include "tools/sennit/lru_cache.hpp"

#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <random>
#include <utility>
#include <vector>

namespace command {
namespace {

using sennit::memory_runs;
using sennit::splice_schedule;
using sennit::detail::splice_item;

// Catches: a line that is kept although others were used later, or forgotten although there is room.
TEST(LruCache, ForgetsWhatWasNotUsedForTheLongestTime) {
  lru_cache two(4, 2);
  EXPECT_TRUE(two.use(0));
  EXPECT_TRUE(two.use(1));
  EXPECT_FALSE(two.use(0));
  EXPECT_TRUE(two.use(2));  // in place of 1
  EXPECT_FALSE(two.use(0));
  EXPECT_TRUE(two.use(1));
  EXPECT_TRUE(two.use(2));
  lru_cache one(2, 0);
  EXPECT_TRUE(one.use(1));
  EXPECT_FALSE(one.use(1));
  EXPECT_TRUE(one.use(0));
  EXPECT_TRUE(one.use(1));
}

// Catches: the same, in any order, compared with a list that is searched.
TEST(LruCache, DoesWhatAListDoes) {
  std::mt19937 random(1);
  for (std::uint32_t room = 1; room < 20; ++room) {
    lru_cache cache(20, room);
    std::list<std::uint32_t> list;
    for (int i = 0; i < 2000; ++i) {
      const std::uint32_t line = std::uniform_int_distribution<std::uint32_t>(0, 19)(random);
      const auto at = std::find(list.begin(), list.end(), line);
      ASSERT_EQ(cache.use(line), at == list.end());
      if (at != list.end()) list.erase(at);
      list.push_front(line);
      if (list.size() > room) list.pop_back();
    }
  }
}

// Calls over the same data, of which each block is of so many bytes.
splice_schedule sweeps(std::uint32_t calls, std::uint32_t blocks, const memory_runs& first,
                       std::uint64_t pitch, bool spliced) {
  std::vector<splice_item> items;
  if (spliced) {
    for (std::uint32_t b = 0; b < blocks; ++b)
      for (std::uint32_t c = 0; c < calls; ++c) items.push_back({c, b});
  } else {
    for (std::uint32_t c = 0; c < calls; ++c)
      for (std::uint32_t b = 0; b < blocks; ++b) items.push_back({c, b});
  }
  sennit::detail::splice_notes notes;
  for (std::uint32_t c = 0; c < calls; ++c) {
    notes.first_blocks.push_back(notes.memory_ends.size());
    for (std::uint32_t b = 0; b < blocks; ++b) {
      memory_runs r = first;
      r.first += b * pitch;
      notes.memory.push_back(r);
      notes.memory_ends.push_back(notes.memory.size());
    }
  }
  return sennit::detail::splice_schedule_access::make(1, std::vector<std::uint32_t>(calls, blocks),
                                                      std::move(items), {}, std::move(notes));
}

const fetched& with_cache(const cache_simulation& s, std::uint64_t bytes) {
  const auto found =
      std::find_if(s.sizes.begin(), s.sizes.end(), [&](const fetched& f) { return f.cache == bytes; });
  EXPECT_NE(found, s.sizes.end());
  return *found;
}

// Catches: bytes that are counted for the other order, or that are fetched again although they are in the cache.
TEST(FetchedBytes, AreThoseOfBothOrders) {
  constexpr std::uint64_t kib = 1024;
  const auto eight = sweeps(8, 64, {.first = 0, .bytes = kib}, kib, true);
  const auto seen = simulate_caches(eight, 16 * kib);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->line, 64U);
  EXPECT_EQ(seen->data, 64 * kib);
  EXPECT_EQ(seen->touched, 8 * 64 * kib);
  EXPECT_EQ(with_cache(*seen, 16 * kib).loop, 8 * 64 * kib);
  EXPECT_EQ(with_cache(*seen, 16 * kib).spliced, 64 * kib);
  // All of it fits.
  EXPECT_EQ(with_cache(*seen, 64 * kib).loop, 64 * kib);
  // Not even a block fits.
  EXPECT_EQ(with_cache(*simulate_caches(eight, kib / 2), kib / 2).spliced, 8 * 64 * kib);
  const auto loop = simulate_caches(sweeps(8, 64, {.first = 0, .bytes = kib}, kib, false), 16 * kib);
  EXPECT_EQ(with_cache(*loop, 16 * kib).spliced, 8 * 64 * kib);
}

// Catches: bytes between the runs of a box that are fetched, runs that overlap and count twice.
TEST(FetchedBytes, AreThoseOfRuns) {
  const memory_runs box{.first = 0, .bytes = 128, .count = {3, 2}, .pitch = {8192, 1024}};
  const auto seen = simulate_caches(sweeps(2, 4, box, 128, true), 1 << 20);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->data, 4U * 6 * 128);
  EXPECT_EQ(with_cache(*seen, 1 << 20).loop, 4U * 6 * 128);
  const memory_runs twice{.first = 0, .bytes = 128, .count = {2, 1}, .pitch = {64, 0}};
  EXPECT_EQ(simulate_caches(sweeps(1, 1, twice, 0, true), 1 << 20)->data, 192U);
}

// Catches: a simulation of large data that takes minutes, or one whose answer is another because lines are longer.
TEST(FetchedBytes, OfLargeDataHaveLongLines) {
  constexpr std::uint64_t mib = 1 << 20;
  const auto large = sweeps(16, 4096, {.first = 0, .bytes = mib}, mib, true);
  const auto seen = simulate_caches(large, 4 * mib);
  ASSERT_TRUE(seen);
  EXPECT_GT(seen->line, 64U);
  EXPECT_LE(seen->line * 64, 4 * mib);
  EXPECT_EQ(with_cache(*seen, 4 * mib).spliced, 4096 * mib);
  EXPECT_EQ(with_cache(*seen, 4 * mib).loop, 16 * 4096 * mib);
  // As many pieces as nobody can wait for.
  const memory_runs dust{.first = 0, .bytes = 1, .count = {1 << 30, 1}, .pitch = {64, 0}};
  EXPECT_FALSE(simulate_caches(sweeps(2, 2, dust, 1, true), mib));
}

// Catches: numbers for what nobody knows.
TEST(FetchedBytes, AreNotMadeUp) {
  EXPECT_FALSE(simulate_caches(splice_schedule(), 1 << 20));
  EXPECT_FALSE(simulate_caches(sennit::detail::splice_schedule_access::make(1, {1}, {{0, 0}}), 1 << 20));
  EXPECT_FALSE(simulate_caches(sweeps(2, 2, {}, 0, true), 1 << 20));
}

// Catches: data or time in the wrong direction, or one order in place of the other.
TEST(Footprint, ShowsWhichDataIsUsedWhen) {
  const auto at = [](const std::vector<bool>& all, double data, double when) {
    const auto row = static_cast<std::size_t>(data * footprint::rows);
    return bool{all[row * footprint::columns + static_cast<std::size_t>(when * footprint::columns)]};
  };
  const auto spliced = sweeps(2, 480, {.first = 0, .bytes = 64}, 64, true);
  for (const bool memory : {true, false}) {
    const footprint seen = footprint_of(
        memory ? spliced
               : sennit::detail::splice_schedule_access::make(
                     1, spliced.blocks(), sennit::detail::splice_schedule_access::items(spliced)));
    EXPECT_TRUE(at(seen.loop, 0.01, 0.001));
    EXPECT_TRUE(at(seen.loop, 0.5, 0.25));
    EXPECT_TRUE(at(seen.loop, 0.5, 0.75));
    EXPECT_FALSE(at(seen.loop, 0.5, 0.5));
    EXPECT_TRUE(at(seen.spliced, 0.5, 0.5));
    EXPECT_FALSE(at(seen.spliced, 0.5, 0.25));
    EXPECT_TRUE(at(seen.spliced, 0.99, 0.995));
  }
}

}  // namespace
}  // namespace command
