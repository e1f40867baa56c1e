// SPDX-License-Identifier: Apache-2.0
// The memory of a simulated machine: how long an access takes that a core makes, and where the data comes from.
#pragma once

#include "machine/machine.hpp"
#include "memory/channel.hpp"
#include "memory/copies.hpp"
#include "time/picoseconds.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::sim {

struct memory_counts {
  // Each access, by where its block lies, whatever caches have of it.
  std::uint64_t local_accesses = 0;
  std::uint64_t remote_accesses = 0;
  // What came from memory, in whole lines.
  std::uint64_t local_bytes = 0;
  std::uint64_t remote_bytes = 0;
  std::uint64_t private_misses = 0;  // accesses for which the core's own cache did not have everything
  std::uint64_t shared_misses = 0;   // of these, those for which the cache that it shares did not either
  std::uint64_t invalidations = 0;   // copies in other caches that its writes have dropped

  memory_counts& operator+=(const memory_counts& more) noexcept;
  bool operator==(const memory_counts&) const = default;
};

// Blocks of memory, each on one node, and caches that keep them. What is assumed:
// - A core's own cache costs nothing, as strands' times hold it. All other data costs a latency and a transfer, during which
//   the core does nothing else. Latencies of data that is read in a row are hidden but for the first.
// - Caches keep what was used last, as much as fits. The shared cache also has what its cores' own caches have had from
//   memory (until it makes room). Only whole caches count, not which addresses go together.
// - Data comes from the core's own cache, from the shared one, or from the node where it lies, even if another core's cache
//   has it, too.
// - A write drops the copies in other caches, and waits for those farthest away. A block that is written goes through memory
//   twice, as it has to go back; the core does not wait for that, but others have less bandwidth.
// - The memory of a node, and its link to the others in each direction, are each shared as class channel says.
//
// For one thread. Deterministic.
//
// Example:
//   sennit::sim::memory m(machine, program.blocks());
//   m.place(0, 1);                                   // block 0 on node 1
//   time += m.access(core, 0, 4096, false, time);    // core reads 4 KiB of it
class memory {
 public:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  // Of the machine it keeps what it needs.
  memory(const machine& on, std::uint32_t blocks);

  // Where a block lies; until then it is nowhere, and the first access puts it on the core's node. Caches keep what they have.
  void place(std::uint32_t block, std::uint32_t node) noexcept { homes_[block] = node; }
  std::uint32_t home(std::uint32_t block) const noexcept { return homes_[block]; }

  // How long the core waits for the first `bytes` bytes of the block, if it begins now. 0 bytes are no access. Calls for
  // different cores may come in any order of times within some 50 ms. Cost: constant for each 4 us that the access
  // takes; for a write one step for each copy that it drops.
  picoseconds access(unsigned core, std::uint32_t block, std::uint32_t bytes, bool writes, picoseconds now);

  const memory_counts& counts(unsigned core) const noexcept { return counts_[core]; }
  memory_counts counts() const noexcept;  // of all cores

 private:
  picoseconds from_memory(unsigned core, std::uint32_t home, std::uint64_t bytes, bool writes,
                          picoseconds now);
  // At this rate, unless what is used has less room.
  template <std::size_t Channels>
  static picoseconds move(const std::array<channel*, Channels>& used, std::uint64_t bytes,
                          bytes_per_microsecond rate, bool writes, picoseconds now);
  picoseconds drop_others(unsigned core, std::uint32_t block);

  places where_;
  machine_memory costs_;
  std::vector<std::uint32_t> homes_;
  copies own_;     // of each core
  copies shared_;  // of each group of cores
  std::vector<channel> nodes_;
  std::vector<channel> links_out_;
  std::vector<channel> links_in_;
  std::vector<memory_counts> counts_;
};

}  // namespace sennit::sim
