// Which caches have which blocks.
#pragma once

#include <cstdint>
#include <vector>

namespace sennit::sim {

// Caches of equal rank, numbered from 0, each with a capacity in bytes; what was used least recently makes room. A block may
// be in a cache in part: its first bytes. All operations take constant time, expected and amortized over what they put in.
class copies {
 public:
  explicit copies(std::vector<std::uint64_t> capacities, std::uint32_t blocks);

  // How many of the block's bytes are in the cache. The block is now the one used last.
  std::uint32_t use(std::uint32_t cache, std::uint32_t block) noexcept;
  // From now on at least so many of the block's bytes are there. A block that is larger than the cache drives all others out,
  // and is not kept: when it is read again, its first bytes are gone.
  void keep(std::uint32_t cache, std::uint32_t block, std::uint32_t bytes);
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
  struct cache_state {
    std::uint64_t capacity;
    std::uint64_t used = 0;
    std::uint32_t newest = none;
    std::uint32_t oldest = none;
  };
  struct slot {
    std::uint64_t key = 0;
    std::uint32_t at = none;
  };

  static std::uint64_t key_of(std::uint32_t cache, std::uint32_t block) noexcept {
    return std::uint64_t{cache} << 32 | block;
  }
  std::size_t begin_of(std::uint64_t key) const noexcept;
  std::size_t slot_of(std::uint64_t key) const noexcept;
  void grow();
  std::uint32_t add(std::uint32_t cache, std::uint32_t block);
  void remove(std::uint32_t at) noexcept;
  void put_first(std::uint32_t at) noexcept;
  void take_out(std::uint32_t at) noexcept;

  std::vector<cache_state> caches_;
  std::vector<std::uint32_t> copies_of_;  // by block
  std::vector<entry> entries_;
  std::vector<std::uint32_t> unused_;
  std::vector<slot> slots_;  // where the entry of a cache and a block is; open addressing, a power of two
};

}  // namespace sennit::sim
