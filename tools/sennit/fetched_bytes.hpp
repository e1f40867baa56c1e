// SPDX-License-Identifier: Apache-2.0
// How many bytes come from memory if a splice's steps run in its order, and how many in that of the loop: a simulation of one
// core's cache.
#pragma once

#include <sennit/splice_schedule.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace command {

struct fetched {
  std::uint64_t cache;    // of so many bytes
  std::uint64_t loop;     // bytes that were fetched, call by call
  std::uint64_t spliced;  // in the splice's order
};

// The cache keeps what was used last, and fetches `line` bytes at a time.
struct cache_simulation {
  std::uint64_t line = 0;
  std::uint64_t data = 0;      // bytes that steps touch, each counted once
  std::uint64_t touched = 0;   // each counted as often as a step touches it
  std::vector<fetched> sizes;  // of caches, from small to large; the one that was asked for is among them
};

// The steps as one worker runs them. Nothing if the schedule does not say which memory steps touch, or touches so many pieces
// that a simulation would take minutes. The cache has at least 64 bytes.
std::optional<cache_simulation> simulate_caches(const sennit::splice_schedule& s, std::uint64_t cache);

// What is touched when: the data and the order, each cut in equal parts. Row by row of the data, from the lowest address on.
struct footprint {
  static constexpr std::uint32_t rows = 96;
  static constexpr std::uint32_t columns = 480;
  std::vector<bool> loop = std::vector<bool>(std::size_t{rows} * columns);
  std::vector<bool> spliced = loop;
};
// Of the memory; or of the numbers of blocks, if the schedule does not say which memory steps touch.
footprint footprint_of(const sennit::splice_schedule& s);

}  // namespace command
