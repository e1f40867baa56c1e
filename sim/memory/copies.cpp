// SPDX-License-Identifier: Apache-2.0
#include "memory/copies.hpp"

namespace sennit::sim {

copies::copies(const std::vector<std::uint64_t>& capacities, std::uint32_t blocks)
    : caches_(capacities.size()), copies_of_(blocks, none) {
  for (std::size_t i = 0; i < capacities.size(); ++i) caches_[i].capacity = capacities[i];
}

std::size_t copies::cache_state::slot_of(std::uint32_t block) const noexcept {
  std::size_t i = begin_of(block);
  while (slots[i].at != none && slots[i].block != block) i = (i + 1) & (slots.size() - 1);
  return i;
}

void copies::cache_state::grow() {
  ++bits;
  std::vector<slot> old(std::size_t{1} << bits);
  old.swap(slots);
  for (const slot& s : old) {
    if (s.at != none) slots[slot_of(s.block)] = s;
  }
}

// What stands behind, and would be looked for from here or from before, moves up.
void copies::cache_state::empty(std::size_t hole) noexcept {
  const std::size_t mask = slots.size() - 1;
  for (std::size_t i = (hole + 1) & mask; slots[i].at != none; i = (i + 1) & mask) {
    if (((i - begin_of(slots[i].block)) & mask) >= ((i - hole) & mask)) {
      slots[hole] = slots[i];
      hole = i;
    }
  }
  slots[hole].at = none;
}

std::uint32_t copies::fetch(std::uint32_t cache, std::uint32_t block, std::uint32_t bytes) {
  cache_state& in = caches_[cache];
  const std::uint32_t at = in.slots[in.slot_of(block)].at;
  std::uint32_t had = 0;
  if (at != none) {
    had = entries_[at].bytes;
    if (in.newest != at) {
      take_out(in, at);
      put_first(in, at);
    }
    if (bytes <= had) return had;
    if (bytes <= in.capacity) {
      in.used += bytes - had;
      entries_[at].bytes = bytes;
    }
  }
  if (bytes > in.capacity) {
    while (in.oldest != none) remove(in.oldest);
  } else {
    const std::uint64_t room = at == none ? in.capacity - bytes : in.capacity;
    while (in.used > room) remove(in.oldest);
    if (at == none) add(cache, block, bytes);
  }
  return had;
}

void copies::add(std::uint32_t cache, std::uint32_t block, std::uint32_t bytes) {
  cache_state& in = caches_[cache];
  if ((in.count + 1) * 2 > in.slots.size()) in.grow();
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
    unused_.reserve(entries_.capacity());
  }
  const std::uint32_t at = unused_.back();
  unused_.pop_back();
  entries_[at] = {cache, block, bytes, none, none, copies_of_[block], none};
  if (copies_of_[block] != none) entries_[copies_of_[block]].last_copy = at;
  copies_of_[block] = at;
  put_first(in, at);
  in.slots[in.slot_of(block)] = {block, at};
  in.used += bytes;
  ++in.count;
}

void copies::remove(std::uint32_t at) noexcept {
  const entry& e = entries_[at];
  cache_state& in = caches_[e.cache];
  take_out(in, at);
  (e.last_copy != none ? entries_[e.last_copy].next_copy : copies_of_[e.block]) = e.next_copy;
  if (e.next_copy != none) entries_[e.next_copy].last_copy = e.last_copy;
  in.empty(in.slot_of(e.block));
  in.used -= e.bytes;
  --in.count;
  unused_.push_back(at);
}

void copies::put_first(cache_state& in, std::uint32_t at) noexcept {
  entries_[at].newer = none;
  entries_[at].older = in.newest;
  (in.newest != none ? entries_[in.newest].newer : in.oldest) = at;
  in.newest = at;
}

void copies::take_out(cache_state& in, std::uint32_t at) noexcept {
  const entry& e = entries_[at];
  (e.newer != none ? entries_[e.newer].older : in.newest) = e.older;
  (e.older != none ? entries_[e.older].newer : in.oldest) = e.newer;
}

}  // namespace sennit::sim
