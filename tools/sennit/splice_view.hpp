// SPDX-License-Identifier: Apache-2.0
// The order of a splice as a picture: a row for each call, a column for each block.
#pragma once

#include <sennit/splice_schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace command {

// For each place in the picture: when the call's block runs, on which strand, and in which tile. A tile is what a strand runs
// from one call to later calls, before it comes back to the same call or to an earlier one: blocks that use the same data.
struct splice_picture {
  std::vector<std::vector<std::uint64_t>> turns;
  std::vector<std::vector<std::uint32_t>> strands;
  std::vector<std::vector<std::uint32_t>> tiles;
  std::uint32_t tile_count = 0;
};
splice_picture picture_of(const sennit::splice_schedule& s);

// The distance from a block's step in one call to its step in the next call, in turns: the median, and the
// distance in an execution call by call. Nothing if no two successive calls have equal numbers of blocks.
struct reuse {
  std::int64_t spliced;
  std::uint32_t plain;
};
std::optional<reuse> reuse_of(const splice_picture& p);

// The largest size of a block, if all calls have the same and the schedule knows it.
std::optional<std::int64_t> block_of(const sennit::splice_schedule& s);

// cache: the bytes of the simulated one; 0: as large as the core's own cache of the machine for which the order was found, or
// else of this machine.
std::string text(const sennit::splice_schedule& s, std::string_view name, std::uint64_t cache = 0);
std::string page(const sennit::splice_schedule& s, std::string_view name, std::uint64_t cache = 0);

}  // namespace command
