// SPDX-License-Identifier: Apache-2.0
// What is remembered of all loops of a program: a cost for each key.
#pragma once

#include <sennit/detail/loop/cost.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

// Any thread may use it. A table of sets of a few entries. If a set is full, a new loop takes the place of another one,
// which is then not known any more. Whoever is still at the other loop may then mislead the new one, once.
class loop_costs {
 public:
  static constexpr unsigned sets = 256;
  static constexpr unsigned ways = 4;

  // As for cost_of_loop(). Not 0.
  static constexpr std::uint64_t key_of(std::uintptr_t site, std::uintptr_t code) noexcept {
    constexpr int half = 32;  // addresses in one program differ in their lower halves
    const std::uint64_t key = std::uint64_t{site} ^ std::rotl(std::uint64_t{code}, half);
    return key != 0 ? key : 1;
  }

  loop_cost& of(std::uint64_t key) noexcept {
    const std::uint64_t hash = key * 0x9e3779b97f4a7c15;  // Fibonacci hashing: Knuth, volume 3, 6.4
    entry* const set = &entries_[(hash >> (64 - set_bits)) * ways];
    for (unsigned i = 0; i < ways; ++i)
      if (set[i].key.load(std::memory_order_relaxed) == key) return set[i].cost;
    return added(set, key, static_cast<unsigned>(hash >> (64 - set_bits - 8)) % ways);
  }

 private:
  static constexpr int set_bits = std::countr_zero(sets);

  struct entry {
    std::atomic<std::uint64_t> key{0};  // 0: free
    loop_cost cost;
  };

  [[gnu::noinline]] static loop_cost& added(entry* set, std::uint64_t key, unsigned instead) noexcept {
    for (unsigned i = 0; i < ways; ++i) {
      std::uint64_t found = 0;
      if (set[i].key.compare_exchange_strong(found, key, std::memory_order_relaxed) || found == key)
        return set[i].cost;
    }
    set[instead].cost.forget();
    set[instead].key.store(key, std::memory_order_relaxed);
    return set[instead].cost;
  }

  std::array<entry, std::size_t{sets} * ways> entries_{};
};

}  // namespace sennit::detail
