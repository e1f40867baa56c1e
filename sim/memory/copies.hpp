// SPDX-License-Identifier: Apache-2.0
// Which caches have which blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::sim {

// Caches of equal rank, numbered from 0, each with a capacity in bytes; what was used least recently makes room. A block may
// be in a cache in part: its first bytes. All operations take constant time, expected and amortized over what they put in.
class copies {
 public:
  copies(const std::vector<std::uint64_t>& capacities, std::uint32_t blocks);

  // The cache uses so many first bytes of the block, and has them from now on. Returns how many it has had. A block that is
  // larger than the cache drives all others out, and is not kept: when it is read again, its first bytes are gone.
  std::uint32_t fetch(std::uint32_t cache, std::uint32_t block, std::uint32_t bytes);
  // Calls gone(cache) for each copy in a cache of which stays(cache) is false, and drops the copy.
  template <class Stays, class Gone>
  void drop(std::uint32_t block, const Stays& stays, const Gone& gone) {
    for (std::uint32_t at = copies_of_[block]; at != none;) {
      const std::uint32_t next = entries_[at].next_copy;
      if (!stays(entries_[at].cache)) {
        gone(entries_[at].cache);
        remove(at);
      }
      at = next;
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct entry {
    std::uint32_t cache;
    std::uint32_t block;
    std::uint32_t bytes;
    std::uint32_t newer;  // in the cache
    std::uint32_t older;
    std::uint32_t next_copy;  // of the block
    std::uint32_t last_copy;
  };
  struct slot {
    std::uint32_t block = 0;
    std::uint32_t at = none;
  };
  // A table for each cache: what one core touches in a row is looked for in the same few lines of memory.
  struct cache_state {
    std::uint64_t capacity = 0;
    std::uint64_t used = 0;
    std::uint32_t newest = none;
    std::uint32_t oldest = none;
    std::uint32_t count = 0;
    unsigned bits = 3;
    std::vector<slot> slots = std::vector<slot>(std::size_t{1} << 3);  // open addressing, 2^bits

    std::size_t begin_of(std::uint32_t block) const noexcept { return (block * 0x9e3779b1U) >> (32 - bits); }
    // Where the block is, or would be.
    std::size_t slot_of(std::uint32_t block) const noexcept;
    void grow();
    void empty(std::size_t slot) noexcept;
  };

  void add(std::uint32_t cache, std::uint32_t block, std::uint32_t bytes);
  void remove(std::uint32_t at) noexcept;
  void put_first(cache_state& in, std::uint32_t at) noexcept;
  void take_out(cache_state& in, std::uint32_t at) noexcept;

  std::vector<cache_state> caches_;
  std::vector<std::uint32_t> copies_of_;  // by block
  std::vector<entry> entries_;
  std::vector<std::uint32_t> unused_;
};

}  // namespace sennit::sim
