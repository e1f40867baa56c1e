// SPDX-License-Identifier: Apache-2.0
// The memory of simulated machines, against times computed by hand and against a cache that is searched.
#include "memory/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace sennit::sim {
namespace {

constexpr picoseconds us = 1000 * nanosecond;

// A line takes 1 ns from the shared cache, 4 ns from memory of the own node, 8 ns from another one's.
machine some_machine(const std::vector<std::vector<unsigned>>& nodes) {
  machine m;
  m.where = places(nodes);
  m.memory = {.line_bytes = 64,
              .private_bytes = 1024,
              .shared_bytes = 4096,
              .shared_latency = 10 * nanosecond,
              .local_latency = 100 * nanosecond,
              .remote_latency = 200 * nanosecond,
              .core_shared = 64000,
              .core_local = 16000,
              .core_remote = 8000,
              .node_bandwidth = 32000,
              .link_bandwidth = 16000};
  return m;
}

class on_two_nodes : public testing::Test {
 protected:
  // Cores 0 and 1, 2 and 3, 4 and 5, 6 and 7 share a cache; 0 to 3 are on node 0.
  memory m_{some_machine({{2, 2}, {2, 2}}), 1000};
  picoseconds now_ = 0;

  picoseconds read(unsigned core, std::uint32_t block, std::uint32_t bytes = 64) {
    return access(core, block, bytes, false);
  }
  picoseconds write(unsigned core, std::uint32_t block, std::uint32_t bytes = 64) {
    return access(core, block, bytes, true);
  }

 private:
  // Far enough from each other that none disturbs another.
  picoseconds access(unsigned core, std::uint32_t block, std::uint32_t bytes, bool writes) {
    now_ += 1000000 * nanosecond;
    return m_.access(core, block, bytes, writes, now_);
  }
};
using sim_memory = on_two_nodes;

// Catches: a level that is passed over or paid for twice; a first touch that does not place a block.
TEST_F(sim_memory, takes_the_time_of_the_nearest_copy) {
  EXPECT_EQ(m_.home(7), memory::nowhere);
  EXPECT_EQ(read(0, 7), 104 * nanosecond);
  EXPECT_EQ(m_.home(7), 0U);
  EXPECT_EQ(read(0, 7), 0U);
  EXPECT_EQ(read(1, 7), 11 * nanosecond);
  EXPECT_EQ(read(1, 7), 0U);
  EXPECT_EQ(read(2, 7), 104 * nanosecond);
  EXPECT_EQ(read(4, 7), 208 * nanosecond);
  EXPECT_EQ(read(5, 7), 11 * nanosecond);
  EXPECT_EQ(read(0, 7, 0), 0U);
}

// Catches: a given home that the first touch overrides, or that drops what caches have.
TEST_F(sim_memory, has_blocks_where_they_are_put) {
  m_.place(3, 1);
  EXPECT_EQ(read(0, 3), 208 * nanosecond);
  m_.place(3, 0);
  EXPECT_EQ(read(0, 3), 0U);
  EXPECT_EQ(read(4, 3), 208 * nanosecond);
}

// Catches: lines that are not whole; bytes that are fetched again, or not at all.
TEST_F(sim_memory, fetches_what_is_missing_in_whole_lines) {
  EXPECT_EQ(read(0, 1, 65), 108 * nanosecond);
  EXPECT_EQ(read(0, 1, 60), 0U);
  EXPECT_EQ(read(0, 1, 65 + 128), 108 * nanosecond);
  EXPECT_EQ(read(1, 1, 64), 11 * nanosecond);
  EXPECT_EQ(read(1, 1, 193 + 64), 10 * nanosecond + 129 * nanosecond / 64 + 104 * nanosecond);
  EXPECT_EQ(m_.counts().local_bytes, 128U + 128 + 64);
  // What the core's own cache still has is not fetched again, though the shared cache has dropped it.
  read(2, 2, 64);
  for (std::uint32_t b = 10; b < 27; ++b) read(3, b, 256);
  EXPECT_EQ(read(2, 2, 128), 104 * nanosecond);
}

// Catches: a cache that drops the newest, or the oldest although it has been used since; one that holds too much or too little.
TEST_F(sim_memory, drops_what_was_used_least_recently) {
  for (std::uint32_t b = 0; b < 4; ++b) read(0, b, 256);
  for (std::uint32_t b = 0; b < 4; ++b) EXPECT_EQ(read(0, b, 256), 0U);
  EXPECT_EQ(read(0, 0, 256), 0U);
  read(0, 4, 256);
  EXPECT_EQ(read(0, 0, 256), 0U);
  EXPECT_EQ(read(0, 2, 256), 0U);
  EXPECT_EQ(read(0, 1, 256), 14 * nanosecond);
  // The shared cache has room for 16 of them.
  for (std::uint32_t b = 5; b < 17; ++b) read(1, b, 256);
  EXPECT_EQ(read(1, 4, 256), 14 * nanosecond);
  EXPECT_EQ(read(1, 0, 256), 116 * nanosecond);
}

// Catches: a block that is larger than a cache and yet found there, or that leaves the cache full of what it has pushed out.
TEST_F(sim_memory, does_not_keep_what_is_larger_than_the_cache) {
  read(0, 1, 256);
  EXPECT_EQ(read(0, 2, 2048), 228 * nanosecond);
  EXPECT_EQ(read(0, 2, 2048), 42 * nanosecond);
  EXPECT_EQ(read(0, 1, 256), 14 * nanosecond);
  read(0, 3, 8192);
  EXPECT_EQ(read(0, 3, 8192), 612 * nanosecond);
  EXPECT_EQ(read(0, 1, 256), 116 * nanosecond);
}

// Catches: stale copies; a write that drops its own; one that waits though nobody has a copy, or not for the farthest.
TEST_F(sim_memory, drops_other_copies_when_a_block_is_written) {
  read(0, 1);
  EXPECT_EQ(write(0, 1), 0U);
  read(1, 1);
  EXPECT_EQ(write(0, 1), 10 * nanosecond);
  EXPECT_EQ(read(0, 1), 0U);
  EXPECT_EQ(read(1, 1), 11 * nanosecond);
  read(2, 1);
  EXPECT_EQ(write(0, 1), 100 * nanosecond);
  EXPECT_EQ(read(2, 1), 104 * nanosecond);
  read(4, 1);
  EXPECT_EQ(write(0, 1), 200 * nanosecond);
  EXPECT_EQ(read(5, 1), 208 * nanosecond);
  EXPECT_EQ(write(0, 1), 200 * nanosecond);
  EXPECT_EQ(write(0, 1), 0U);
  // The writer's own shared cache, which is not the first one, keeps the block.
  read(3, 2);
  EXPECT_EQ(write(3, 2), 0U);
  EXPECT_EQ(read(2, 2), 11 * nanosecond);
  EXPECT_EQ(m_.counts(0).invalidations, 1U + 3 + 4 + 2);
}

// Catches: counts of another core, of the wrong kind, or of what was at hand.
TEST_F(sim_memory, counts_accesses_and_misses) {
  m_.place(1, 1);
  read(0, 1, 100);
  read(0, 1, 100);
  read(1, 1, 100);
  read(1, 2, 64);
  const memory_counts first = m_.counts(0);
  EXPECT_EQ(first.remote_accesses, 2U);
  EXPECT_EQ(first.local_accesses, 0U);
  EXPECT_EQ(first.remote_bytes, 128U);
  EXPECT_EQ(first.private_misses, 1U);
  EXPECT_EQ(first.shared_misses, 1U);
  const memory_counts second = m_.counts(1);
  EXPECT_EQ(second.remote_accesses, 1U);
  EXPECT_EQ(second.local_accesses, 1U);
  EXPECT_EQ(second.local_bytes, 64U);
  EXPECT_EQ(second.private_misses, 2U);
  EXPECT_EQ(second.shared_misses, 1U);
  EXPECT_EQ(m_.counts().private_misses, 3U);
  EXPECT_EQ(m_.counts().remote_bytes, 128U);
}

// Catches: a write that waits for its line and then for the other copies, one after the other.
TEST_F(sim_memory, drops_copies_while_it_fetches) {
  read(0, 7);
  read(4, 7);
  EXPECT_EQ(write(2, 7), 200 * nanosecond);
  read(1, 8);
  read(0, 8);
  EXPECT_EQ(write(2, 8), 104 * nanosecond) << "the other caches of the node are no farther than its memory";
}

// Catches: a core that has nothing of a full window, or more than its quarter of an eighth of it.
TEST_F(sim_memory, has_a_least_share_for_each_core) {
  memory m(some_machine({{2, 2}, {2, 2}}), 10);
  for (std::uint32_t core = 0; core < 3; ++core) m.access(core, core, 64000, false, 0);
  EXPECT_EQ(m.access(3, 3, 4032, false, 0), 100 * nanosecond + 4 * us + 2 * nanosecond);
  EXPECT_EQ(m.access(3, 4, 3968, false, 0), 100 * nanosecond + 248 * nanosecond);
}

// Catches: what full windows have had beyond their room that later ones lack although others between them were never used.
TEST(sim_channel, owes_nothing_after_unused_windows) {
  const auto owing = [] {
    channel c(250, 400);
    EXPECT_EQ(c.room(0), 1000U);
    c.take(0, 1000);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(c.room(0), 400U);
      c.take(0, 400);
    }
    return c;  // owes 2000 bytes
  };
  EXPECT_EQ(owing().room(1), 500U);
  channel c = owing();
  EXPECT_EQ(c.room(2), 500U);
  EXPECT_EQ(c.room(3), 500U);
  EXPECT_EQ(c.room(4), 1000U);
  EXPECT_EQ(owing().room(3), 1000U);
}

// Catches: windows that have more room than they have bandwidth, or none for those who need little; what these have had that is
// never missing; old windows that count as new.
TEST(sim_channel, has_so_much_room_in_each_window) {
  channel c(1000, 64);
  EXPECT_EQ(c.room(0), 4000U);
  c.take(0, 3000);
  EXPECT_EQ(c.room(0), 1000U);
  EXPECT_EQ(c.room(1), 4000U);
  c.take(0, 1000);
  EXPECT_EQ(c.room(0), 64U);
  c.take(0, 64);
  EXPECT_EQ(c.room(0), 64U);
  EXPECT_EQ(c.room(1), 4000U);
  EXPECT_EQ(c.room(2), 3936U);
  EXPECT_EQ(c.room(3), 4000U);
  for (int i = 0; i < 50; ++i) c.take(0, 64);
  EXPECT_EQ(c.room(4), 2000U);
  EXPECT_EQ(c.room(5), 2800U);
  c.take(0, 64);
  EXPECT_EQ(c.room(7), 4000U);
  EXPECT_EQ(c.room(16384), 4000U);
  c.take(16384, 3000);
  EXPECT_EQ(c.room(16384), 1000U);
  EXPECT_EQ(c.room(0), 4000U);
  c.take(0, 10);
  EXPECT_EQ(c.room(16384), 1000U);
}

struct stream {
  unsigned core;
  std::uint32_t block;
  bool writes = false;
};
// Each reads or writes its block of 64 KiB again and again for a millisecond. How much each has moved, in MB/s.
std::vector<double> rates(const machine& on, const std::vector<stream>& streams,
                          const std::vector<unsigned>& homes) {
  constexpr std::uint32_t bytes = 65536;
  constexpr picoseconds end = 1000000 * nanosecond;
  memory m(on, static_cast<std::uint32_t>(homes.size()));
  for (std::size_t i = 0; i < homes.size(); ++i) m.place(static_cast<std::uint32_t>(i), homes[i]);
  std::vector<picoseconds> at(streams.size());
  std::vector<double> moved(streams.size());
  for (;;) {
    const auto next = static_cast<std::size_t>(std::min_element(at.begin(), at.end()) - at.begin());
    if (at[next] >= end) return moved;
    const stream& s = streams[next];
    at[next] += m.access(s.core, s.block, bytes, s.writes, at[next]);
    moved[next] += bytes * 1e6 / static_cast<double>(end);
  }
}
double sum(const std::vector<double>& rates) {
  double all = 0;
  for (const double rate : rates) all += rate;
  return all;
}

// Catches: cores that get more than there is, or not all of it; one that gets more than another.
TEST(sim_memory_bandwidth, of_a_node_is_shared_evenly) {
  const machine on = some_machine({{8}});
  const std::vector<double> one = rates(on, {{0, 0}}, {0});
  EXPECT_NEAR(one[0], 16000, 500);
  for (unsigned cores = 2; cores <= 8; cores *= 2) {
    std::vector<stream> streams;
    for (unsigned c = 0; c < cores; ++c) streams.push_back({c, c});
    const std::vector<double> each = rates(on, streams, std::vector<unsigned>(cores));
    EXPECT_NEAR(sum(each), 32000, 1600) << cores;
    for (const double rate : each) EXPECT_NEAR(rate, 32000.0 / cores, 3200.0 / cores) << cores;
  }
}

// Catches: bandwidth that is used twice, as the engine looks at all accesses of a strand before it looks at those that other
// cores make meanwhile; one core that waits for all others.
TEST(sim_memory_bandwidth, is_not_exceeded_by_strands_that_are_looked_at_one_after_the_other) {
  constexpr unsigned cores = 8;
  constexpr unsigned accesses = 100;  // of a strand
  constexpr std::uint32_t bytes = 8192;
  machine on = some_machine({{cores}});
  on.memory.private_bytes = 0;
  on.memory.shared_bytes = 0;
  for (const unsigned strands : {1U, 4U, 20U}) {
    memory m(on, cores);
    std::array<picoseconds, cores> at{};
    std::array<unsigned, cores> done{};
    for (;;) {
      unsigned next = cores;
      for (unsigned c = 0; c < cores; ++c) {
        if (done[c] < strands && (next == cores || at[c] < at[next])) next = c;
      }
      if (next == cores) break;
      for (unsigned i = 0; i < accesses; ++i) at[next] += m.access(next, next, bytes, false, at[next]);
      ++done[next];
    }
    const double least = static_cast<double>(cores) * strands * accesses * bytes * 1e6 / 32000;
    EXPECT_GT(static_cast<double>(*std::max_element(at.begin(), at.end())), 0.9 * least) << strands;
    EXPECT_LT(static_cast<double>(*std::max_element(at.begin(), at.end())), 1.15 * least) << strands;
  }
  // Who needs one line does not wait for those who have taken all for long.
  memory m(on, cores);
  picoseconds end = 0;
  for (unsigned c = 0; c < 2; ++c) {
    end = 0;
    for (unsigned i = 0; i < accesses; ++i) end += m.access(c, c, bytes, false, end);
  }
  EXPECT_EQ(m.access(7, 7, 64, false, 1000 * nanosecond), 104 * nanosecond);
}

// Catches: data that has to be written back for nothing.
TEST(sim_memory_bandwidth, halves_where_cores_write) {
  const machine on = some_machine({{4}});
  EXPECT_NEAR(sum(rates(on, {{0, 0, true}, {1, 1, true}, {2, 2, true}, {3, 3, true}}, {0, 0, 0, 0})), 16000,
              800);
}

// Catches: links without a limit; links that those who go the other way take up, or those on the same node.
TEST(sim_memory_bandwidth, of_links_is_shared_in_each_direction) {
  const machine on = some_machine({{4}, {4}, {4}});
  // Out of node 0, and into node 0.
  EXPECT_NEAR(sum(rates(on, {{4, 0}, {5, 1}, {8, 2}, {9, 3}}, {0, 0, 0, 0})), 16000, 800);
  EXPECT_NEAR(sum(rates(on, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}, {1, 1, 2, 2})), 16000, 800);
  // Both at once: two of each.
  EXPECT_NEAR(sum(rates(on, {{4, 0}, {8, 1}, {0, 2}, {1, 3}}, {0, 0, 1, 2})), 32000, 1600);
  // A core beside its memory has what a link cannot take.
  const std::vector<double> beside = rates(on, {{4, 0}, {5, 1}, {6, 2}, {0, 3}}, {0, 0, 0, 0});
  EXPECT_NEAR(beside[3], 16000, 1600);
}

// Catches: accesses that wait most of the time and yet count as if they took all the bandwidth they can.
TEST(sim_memory_bandwidth, is_left_by_those_who_wait_for_latencies) {
  machine on = some_machine({{4}});
  on.memory.private_bytes = 0;
  on.memory.shared_bytes = 0;
  on.memory.local_latency = 10000 * nanosecond;
  memory m(on, 4);
  for (unsigned core = 0; core < 3; ++core) EXPECT_EQ(m.access(core, core, 64, false, 0), 10004 * nanosecond);
  EXPECT_EQ(m.access(3, 3, 64000, false, 1000), 14000 * nanosecond);
}

// Catches: a machine that nobody has described, whose zeros are divided by.
TEST(sim_memory_bandwidth, has_no_limit_where_none_is_given) {
  memory m(machine{}, 2);
  EXPECT_EQ(m.access(0, 1, 4096, true, 0), 0U);
  EXPECT_EQ(m.counts().local_bytes, 4096U);
}

// Caches that are searched from the newest on.
class searched_caches {
 public:
  searched_caches(std::size_t caches, std::uint64_t capacity) : content_(caches), capacity_(capacity) {}
  std::uint32_t use(std::uint32_t cache, std::uint32_t block) {
    const auto at = find(cache, block);
    if (at == content_[cache].end()) return 0;
    std::rotate(content_[cache].begin(), at, at + 1);
    return content_[cache].front().second;
  }
  void keep(std::uint32_t cache, std::uint32_t block, std::uint32_t bytes) {
    auto& in = content_[cache];
    if (find(cache, block) == in.end()) in.insert(in.begin(), {block, 0});
    find(cache, block)->second = std::max(find(cache, block)->second, bytes);
    for (;;) {
      std::uint64_t used = 0;
      for (const auto& [b, size] : in) used += size;
      if (used <= capacity_) return;
      const bool last = in.back().first == block;
      if (last && in.size() > 1) {
        in.erase(in.end() - 2);
      } else {
        in.pop_back();
      }
    }
  }
  std::size_t drop(std::uint32_t block, std::uint32_t except) {
    std::size_t dropped = 0;
    for (std::uint32_t c = 0; c < content_.size(); ++c) {
      if (c != except) dropped += std::erase_if(content_[c], [&](const auto& e) { return e.first == block; });
    }
    return dropped;
  }

 private:
  using entries = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  entries::iterator find(std::uint32_t cache, std::uint32_t block) {
    return std::find_if(content_[cache].begin(), content_[cache].end(),
                        [&](const auto& e) { return e.first == block; });
  }
  std::vector<entries> content_;
  std::uint64_t capacity_;
};

// Catches: entries that are lost or found twice as the table grows and shrinks; lists that lose an entry.
TEST(sim_copies, agree_with_caches_that_are_searched) {
  for (const std::uint32_t blocks : {5U, 60U, 3000U}) {
    constexpr std::uint32_t caches = 7;
    copies fast(std::vector<std::uint64_t>(caches, 20000), blocks);
    searched_caches slow(caches, 20000);
    std::mt19937 random(blocks);
    for (int i = 0; i < 20000; ++i) {
      const std::uint32_t cache = random() % caches;
      const std::uint32_t block = random() % blocks;
      const std::uint32_t bytes = random() % 50 == 0 ? random() % 30000 + 1 : random() % 300 + 1;
      ASSERT_EQ(fast.fetch(cache, block, bytes), slow.use(cache, block)) << i;
      slow.keep(cache, block, bytes);
      if (random() % 4 == 0) {
        std::size_t dropped = 0;
        fast.drop(block, [&](std::uint32_t c) { return c == cache; }, [&](std::uint32_t) { ++dropped; });
        ASSERT_EQ(dropped, slow.drop(block, cache)) << i;
      }
    }
  }
}

// Catches: results that depend on addresses or on what was before.
TEST(sim_memory_runs, are_the_same_each_time) {
  const auto run = [] {
    machine on = some_machine({{4, 4}, {4, 4}, {4, 4}});
    on.memory.private_bytes = 4096;
    on.memory.shared_bytes = 65536;
    memory m(on, 500);
    std::mt19937 random(3);
    std::array<picoseconds, 24> at{};
    for (int i = 0; i < 50000; ++i) {
      const unsigned core = random() % at.size();
      const std::uint32_t bytes = random() % 1024;
      at[core] += m.access(core, random() % 500, bytes, random() % 3 == 0, at[core]);
    }
    return std::pair(at, m.counts());
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace sennit::sim
