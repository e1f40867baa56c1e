// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/graph/number_table.hpp>
#include <sennit/detail/graph/zeros.hpp>

#include <cstddef>
#include <limits>
#include <new>

namespace sennit::detail {

std::size_t number_table::bytes_of(unsigned bits) noexcept {
  return sizeof(slots) + (sizeof(std::atomic<std::uint64_t>) << bits);
}

// The memory is zero, and so are the slots.
number_table::slots* number_table::make_slots(std::size_t p, unsigned bits) {
  std::byte* memory = nullptr;
  if (bits > shared_bits) {
    memory = static_cast<std::byte*>(reserve_zeros(bytes_of(bits)));
  } else {
    // Parts grow at about the same time. Side by side, they fit into few large pages. Those that never grow
    // touch nothing.
    // ORD[D37] acquire: the pages; pairs with the release of who reserved them.
    memory = shared_[bits].load(std::memory_order_acquire);
    if (memory == nullptr) {
      auto* const mine = static_cast<std::byte*>(reserve_zeros(parts * bytes_of(bits)));
      // ORD[D37] release: the pages; acquire, on failure, those of another's.
      if (shared_[bits].compare_exchange_strong(memory, mine, std::memory_order_release,
                                                std::memory_order_acquire)) {
        memory = mine;
      } else {
        return_zeros(mine, parts * bytes_of(bits));
      }
    }
    memory += p * bytes_of(bits);
  }
  auto* const made = ::new (static_cast<void*>(memory)) slots;
  made->mask = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  made->shift = most_bits - bits;
  made->older = nullptr;
  return made;
}

number_table::~number_table() {
  for (std::atomic<slots*>& of_part : slots_) {
    slots* s = of_part.load(std::memory_order_relaxed);
    while (s != nullptr && most_bits - s->shift > shared_bits) {
      slots* const older = s->older;
      return_zeros(s, bytes_of(most_bits - s->shift));
      s = older;
    }
  }
  for (unsigned bits = least_bits; bits <= shared_bits; ++bits) {
    if (std::byte* const memory = shared_[bits].load(std::memory_order_relaxed))
      return_zeros(memory, parts * bytes_of(bits));
  }
}

bool number_table::add(std::uint64_t hash, std::uint32_t number, const found& nothing) {
  const std::size_t p = part_of(hash);
  part& here = parts_[p];
  const std::lock_guard guard(here.adding);
  if (here.count == here.room) {
    grow(p);
    return false;
  }
  // Relaxed: under the lock, by which all others add, too.
  if (slots_[p].load(std::memory_order_relaxed) != nothing.in) return false;
  std::atomic<std::uint64_t>& slot = (*nothing.in)[nothing.at];
  if (slot.load(std::memory_order_relaxed) != 0) return false;
  const std::uint64_t tag = static_cast<std::uint32_t>(hash);
  // ORD[D37] release: the key of the number; pairs with the acquire in find().
  slot.store(tag << 32 | number, std::memory_order_release);
  ++here.count;
  return true;
}

void number_table::grow(std::size_t p) {
  // Relaxed: under the lock.
  slots* const old = slots_[p].load(std::memory_order_relaxed);
  const unsigned bits = old == nullptr ? least_bits : most_bits - old->shift + 1;
  if (bits > most_bits) {
    // There are as many slots as there can be numbers, and one of them stays empty.
    parts_[p].room = std::numeric_limits<std::uint32_t>::max();
    return;
  }
  slots* const s = make_slots(p, bits);
  s->older = old;
  if (old != nullptr) {
    for (std::uint32_t i = 0; i <= old->mask; ++i) {
      // Relaxed: nobody else writes to the old slots, and nobody knows of the new ones.
      const std::uint64_t entry = (*old)[i].load(std::memory_order_relaxed);
      if (entry == 0) continue;
      std::uint32_t to = s->home(tag_of(entry));
      while ((*s)[to].load(std::memory_order_relaxed) != 0) to = (to + 1) & s->mask;
      (*s)[to].store(entry, std::memory_order_relaxed);
    }
  }
  const std::uint64_t size = std::uint64_t{1} << bits;
  parts_[p].room = size / 3 * 2;
  // ORD[D37] release: the slots, and the keys of their numbers; pairs with the acquire in find().
  slots_[p].store(s, std::memory_order_release);
}

}  // namespace sennit::detail
