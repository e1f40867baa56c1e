#include "memory/copies.hpp"

#include <cstddef>
#include <utility>

namespace sennit::sim {

copies::copies(std::vector<std::uint64_t> capacities, std::uint32_t blocks)
    : copies_of_(blocks, none), slots_(std::size_t{1} << 10) {
  caches_.reserve(capacities.size());
  for (const std::uint64_t capacity : capacities) caches_.push_back({.capacity = capacity});
}

std::size_t copies::begin_of(std::uint64_t key) const noexcept {
  // Fibonacci hashing: the product's high bits depend on all of the key's.
  const std::uint64_t mixed = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
}

std::size_t copies::slot_of(std::uint64_t key) const noexcept {
  std::size_t i = begin_of(key);
  while (slots_[i].at != none && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
  return i;
}

void copies::grow() {
  std::vector<slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const slot& s : old) {
    if (s.at != none) slots_[slot_of(s.key)] = s;
  }
}

std::uint32_t copies::use(std::uint32_t cache, std::uint32_t block) noexcept {
  const std::uint32_t at = slots_[slot_of(key_of(cache, block))].at;
  if (at == none) return 0;
  if (caches_[cache].newest != at) {
    take_out(at);
    put_first(at);
  }
  return entries_[at].bytes;
}

void copies::keep(std::uint32_t cache, std::uint32_t block, std::uint32_t bytes) {
  cache_state& in = caches_[cache];
  std::uint32_t at = slots_[slot_of(key_of(cache, block))].at;
  if (at == none) at = add(cache, block);
  if (bytes > entries_[at].bytes) {
    in.used += bytes - entries_[at].bytes;
    entries_[at].bytes = bytes;
  }
  while (in.used > in.capacity && in.oldest != at) remove(in.oldest);
  if (in.used > in.capacity) remove(at);
}

std::uint32_t copies::add(std::uint32_t cache, std::uint32_t block) {
  if ((entries_.size() - unused_.size() + 1) * 2 > slots_.size()) grow();
  std::uint32_t at = 0;
  if (unused_.empty()) {
    at = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
    unused_.reserve(entries_.capacity());
  } else {
    at = unused_.back();
    unused_.pop_back();
  }
  entry& e = entries_[at];
  e = {cache, block, 0, none, none, copies_of_[block], none};
  if (e.next_copy != none) entries_[e.next_copy].last_copy = at;
  copies_of_[block] = at;
  put_first(at);
  const std::uint64_t key = key_of(cache, block);
  slots_[slot_of(key)] = {key, at};
  return at;
}

void copies::remove(std::uint32_t at) noexcept {
  const entry& e = entries_[at];
  caches_[e.cache].used -= e.bytes;
  take_out(at);
  (e.last_copy != none ? entries_[e.last_copy].next_copy : copies_of_[e.block]) = e.next_copy;
  if (e.next_copy != none) entries_[e.next_copy].last_copy = e.last_copy;
  // What stands behind, and would be looked for from here or from before, moves up.
  std::size_t hole = slot_of(key_of(e.cache, e.block));
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = (hole + 1) & mask; slots_[i].at != none; i = (i + 1) & mask) {
    const std::size_t begin = begin_of(slots_[i].key);
    if (((i - begin) & mask) >= ((i - hole) & mask)) {
      slots_[hole] = slots_[i];
      hole = i;
    }
  }
  slots_[hole].at = none;
  unused_.push_back(at);
}

void copies::put_first(std::uint32_t at) noexcept {
  cache_state& in = caches_[entries_[at].cache];
  entries_[at].newer = none;
  entries_[at].older = in.newest;
  (in.newest != none ? entries_[in.newest].newer : in.oldest) = at;
  in.newest = at;
}

void copies::take_out(std::uint32_t at) noexcept {
  const entry& e = entries_[at];
  cache_state& in = caches_[e.cache];
  (e.newer != none ? entries_[e.newer].older : in.newest) = e.older;
  (e.older != none ? entries_[e.older].newer : in.oldest) = e.newer;
}

}  // namespace sennit::sim
