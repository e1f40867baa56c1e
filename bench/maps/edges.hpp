// SPDX-License-Identifier: Apache-2.0
// What a graph that is found from its sink asks of a map of its keys: for each edge of a grid, from the sink on, find the node
// where it leads, or insert it. --size says how many nodes the grid has. Workers have every other row, so each row is found by
// one and met again by another.
//
// A Map has a constructor, and find_or_insert(key, number), which tells the key's number: the one given, if it had none before.
#pragma once

#include "common/program.hpp"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace maps {

struct key {
  std::uint32_t row;
  std::uint32_t column;
  friend bool operator==(const key&, const key&) = default;
};

// As MurmurHash3 ends, over both parts; all maps have this one.
struct hash {
  using is_avalanching = void;  // which Boost's would otherwise make it by a step of its own
  std::size_t operator()(const key& k) const {
    std::uint64_t h = std::uint64_t{k.row} << 32 | k.column;
    h = (h ^ h >> 33) * 0xff51afd7ed558ccd;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53;
    return h ^ h >> 33;
  }
};

template <class Map>
class walk {
 public:
  explicit walk(const bench::program& program) : workers_(program.workers()) {}

  void prepare(std::uint64_t nodes) {
    side_ = static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(nodes))));
    if (std::uint64_t{side_} * side_ != nodes) bench::program::fail("--size", "must be a square");
    inserted_ = 0;
  }
  // As in a run of a graph, the map starts empty, and what it takes to get rid of it counts.
  void run() {
    Map map;
    map.find_or_insert({side_ - 1, side_ - 1}, 0);
    std::vector<std::thread> others;
    for (unsigned w = 1; w < workers_; ++w) others.emplace_back([this, &map, w] { rows(map, w); });
    rows(map, 0);
    for (std::thread& other : others) other.join();
  }
  // How many nodes were made: all of them, once.
  std::uint64_t check() const { return inserted_ + 1; }

 private:
  void rows(Map& map, std::uint32_t worker) {
    std::uint32_t fresh = worker + 1;  // numbers that no other worker gives
    std::uint64_t inserted = 0;
    const auto ask = [&](const key& k) {
      if (map.find_or_insert(k, fresh) != fresh) return;
      fresh += workers_;
      ++inserted;
    };
    for (std::uint32_t below = worker; below < side_; below += workers_) {
      const std::uint32_t i = side_ - 1 - below;
      for (std::uint32_t j = side_; j-- > 0;) {
        if (i != 0) ask({i - 1, j});
        if (j != 0) ask({i, j - 1});
      }
    }
    inserted_ += inserted;
  }

  unsigned workers_;
  std::uint32_t side_ = 0;
  std::atomic<std::uint64_t> inserted_ = 0;
};

}  // namespace maps
