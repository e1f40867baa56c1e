// SPDX-License-Identifier: Apache-2.0
#include "memory/memory.hpp"

#include <algorithm>
#include <limits>

namespace sennit::sim {

namespace {

constexpr picoseconds microsecond = 1000 * nanosecond;

// 0: no limit.
picoseconds transfer(std::uint64_t bytes, bytes_per_microsecond rate) noexcept {
  return rate == 0 ? 0 : bytes * microsecond / rate;
}

// What each core has in any case is a quarter of what all could have, and at least a line.
channel shared_by_all(const machine& on, bytes_per_microsecond bandwidth) {
  const std::uint64_t in_window = bandwidth * (channel::window / microsecond);
  return {bandwidth,
          std::max<std::uint64_t>(on.memory.line_bytes, in_window / (4 * std::uint64_t{on.where.cores()}))};
}

}  // namespace

memory_counts& memory_counts::operator+=(const memory_counts& more) noexcept {
  local_accesses += more.local_accesses;
  remote_accesses += more.remote_accesses;
  local_bytes += more.local_bytes;
  remote_bytes += more.remote_bytes;
  private_misses += more.private_misses;
  shared_misses += more.shared_misses;
  invalidations += more.invalidations;
  return *this;
}

memory::memory(const machine& on, std::uint32_t blocks)
    : where_(on.where),
      costs_(on.memory),
      homes_(blocks, nowhere),
      own_(std::vector<std::uint64_t>(on.where.cores(), on.memory.private_bytes), blocks),
      shared_(std::vector<std::uint64_t>(on.where.caches(), on.memory.shared_bytes), blocks),
      nodes_(on.where.nodes(), shared_by_all(on, on.memory.node_bandwidth)),
      links_out_(on.where.nodes(), shared_by_all(on, on.memory.link_bandwidth)),
      links_in_(on.where.nodes(), shared_by_all(on, on.memory.link_bandwidth)),
      counts_(on.where.cores()) {}

picoseconds memory::access(unsigned core, std::uint32_t block, std::uint32_t bytes, bool writes,
                           picoseconds now) {
  if (bytes == 0) return 0;
  const std::uint32_t cache = where_.cache_of(core);
  const std::uint32_t node = where_.node_of(core);
  memory_counts& counts = counts_[core];
  std::uint32_t& home = homes_[block];
  if (home == nowhere) home = node;
  ++(home == node ? counts.local_accesses : counts.remote_accesses);

  picoseconds waits = 0;
  const std::uint32_t at_hand = own_.fetch(core, block, bytes);
  if (at_hand < bytes) {
    ++counts.private_misses;
    const std::uint32_t near = std::clamp(shared_.fetch(cache, block, bytes), at_hand, bytes);
    if (near > at_hand) waits += costs_.shared_latency + transfer(near - at_hand, costs_.core_shared);
    if (near < bytes) {
      ++counts.shared_misses;
      waits += from_memory(core, home, bytes - near, writes, now + waits);
    }
  }
  if (writes) waits = std::max(waits, drop_others(core, block));
  return waits;
}

picoseconds memory::from_memory(unsigned core, std::uint32_t home, std::uint64_t bytes, bool writes,
                                picoseconds now) {
  const std::uint32_t node = where_.node_of(core);
  const bool local = home == node;
  const std::uint64_t line = std::max<std::uint64_t>(costs_.line_bytes, 1);
  const std::uint64_t whole = (bytes + line - 1) / line * line;
  (local ? counts_[core].local_bytes : counts_[core].remote_bytes) += whole;

  const picoseconds latency = local ? costs_.local_latency : costs_.remote_latency;
  const bytes_per_microsecond rate = local ? costs_.core_local : costs_.core_remote;
  if (local) return latency + move(std::array{&nodes_[home]}, whole, rate, writes, now);
  return latency +
         move(std::array{&nodes_[home], &links_out_[home], &links_in_[node]}, whole, rate, writes, now);
}

// What is written goes there and back. Where channels are full, a move takes many windows: this loop is most of the model's time.
template <std::size_t Channels>
picoseconds memory::move(const std::array<channel*, Channels>& used, std::uint64_t bytes,
                         bytes_per_microsecond rate, bool writes, picoseconds now) {
  const auto by_core = [rate](picoseconds time) {
    return rate == 0 ? std::numeric_limits<std::uint64_t>::max()
                     : std::max<std::uint64_t>(time * rate / microsecond, 1);
  };
  const unsigned twice = writes ? 1 : 0;
  const std::uint64_t in_whole_window = by_core(channel::window);
  picoseconds at = now;
  std::uint64_t number = at / channel::window;
  std::uint64_t most = by_core((number + 1) * channel::window - at);
  for (std::uint64_t left = bytes;; ++number, most = in_whole_window) {
    std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
    for (channel* c : used) room = std::min(room, c->room(number));
    const std::uint64_t now_moved = std::min({left, most, std::max<std::uint64_t>(room >> twice, 1)});
    for (channel* c : used) c->take(number, now_moved << twice);
    left -= now_moved;
    if (left == 0) return at + transfer(now_moved, rate) - now;
    at = (number + 1) * channel::window;
  }
}

picoseconds memory::drop_others(unsigned core, std::uint32_t block) {
  const std::uint32_t cache = where_.cache_of(core);
  const std::uint32_t node = where_.node_of(core);
  picoseconds farthest = 0;
  const auto drop = [&](bool same_cache, bool same_node) {
    ++counts_[core].invalidations;
    farthest = std::max(farthest, same_cache  ? costs_.shared_latency
                                  : same_node ? costs_.local_latency
                                              : costs_.remote_latency);
  };
  own_.drop(
      block, [&](std::uint32_t c) { return c == core; },
      [&](std::uint32_t c) { drop(where_.cache_of(c) == cache, where_.node_of(c) == node); });
  shared_.drop(
      block, [&](std::uint32_t c) { return c == cache; },
      [&](std::uint32_t c) { drop(false, where_.node_of_cache(c) == node); });
  return farthest;
}

memory_counts memory::counts() const noexcept {
  memory_counts all;
  for (const memory_counts& one : counts_) all += one;
  return all;
}

}  // namespace sennit::sim
