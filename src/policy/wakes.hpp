// SPDX-License-Identifier: Apache-2.0
// Which sleepers are called when there is work: wakes spread as a tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sennit::policy {

// A worker that was woken and has found work wakes so many others, as long as there is work for them. So P workers are awake
// after log2(P) wakes one after the other, and nobody pays for more than two.
inline constexpr unsigned wakes_each = 2;

// Who is called about new work. While a wake is in flight, its owner will look at every deque. A watcher is such an owner, but
// naps: it is called out of its nap.
enum class called : std::uint8_t { nobody, watcher, latest_sleeper };
constexpr called who_is_called(bool wake_in_flight, bool watched) noexcept {
  if (!wake_in_flight) return called::latest_sleeper;
  return watched ? called::watcher : called::nobody;
}

// For how many workers, of `most`, there is work in a deque with so many frames. Divisible work is for as many as come.
constexpr std::size_t workers_for(std::size_t frames, bool divisible, std::size_t most) noexcept {
  return divisible ? most : std::min(frames, most);
}

// A wake has landed. Where a worker watches, it will call the next ones if something lasts.
constexpr bool wakes_more(bool anybody_sleeps, bool watched) noexcept { return anybody_sleeps && !watched; }

// The i-th deque of `count` at which it looks for work for others: first where its own work was, as there is most likely more.
constexpr unsigned looks_for_others_at(unsigned i, unsigned source, unsigned count) noexcept {
  const unsigned seat = (source < count ? source : 0) + i;
  return seat < count ? seat : seat - count;
}

}  // namespace sennit::policy
